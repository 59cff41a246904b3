// `receive`: a receiver to try channels with. It tells of what comes, and answers as it was told to.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { http } from '#lib/net/node-http.ts';
import { CommandError } from './command-error.ts';
import { createInbox, type Received } from './received.ts';

/** A status, no answer at all, or the connection closed in its place. */
export type ReceiveAnswer = number | 'hang' | 'reset';

/** How it receives. */
export interface ReceiveOptions {
  readonly host: string;
  /** 0 = a free one. */
  readonly port: number;
  /** The newest first; none = signatures are not checked. */
  readonly secrets: readonly string[];
  /** What the first, the second … attempt of a delivery is answered; the last stands for all that follow. */
  readonly answers: readonly ReceiveAnswer[];
  /** From the last byte of a request to its answer, ms. */
  readonly waitMs: number;
  /** Epoch ms. */
  readonly now: () => number;
  readonly onReceived: (received: Received, answer: ReceiveAnswer) => void;
}

/** A receiver that listens. */
export interface Receiving {
  /** `http://host:port`. */
  readonly url: string;
  close(): void;
}

/** More of a body is not read: ours have 256 kB at most. */
const bodyMost = 1_000_000;

/** Starts to listen. Throws CommandError when it cannot. */
export async function startReceiving(options: ReceiveOptions): Promise<Receiving> {
  const { host, port, secrets, now } = options;
  const judge = createInbox(secrets);
  const server = http.createServer((request, response) => {
    void read(request).then((body) => {
      if (body === null) return response.writeHead(413, { connection: 'close' }).end();
      const { method = '', url = '', headers } = request;
      const received = judge({ at: now(), method, url, headers, body });
      const answer = answerTo(received, options.answers);
      options.onReceived(received, answer);
      return setTimeout(give, options.waitMs, response, answer, received);
    });
  });
  // A sender that is left hanging gives up by itself.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new CommandError(`${host}:${port} cannot be listened at: ${error.message}`)),
    );
    server.listen({ host, port }, resolve);
  });
  const address = server.address() as AddressInfo;
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Whose signature is wrong is answered 400, as every receiver should (spec §6.4); all others as it was told. */
function answerTo(received: Received, answers: readonly ReceiveAnswer[]): ReceiveAnswer {
  const isRefused = [received.bodySignature, received.standardSignature].some(
    (verdict) => verdict === 'forged' || verdict === 'expired',
  );
  // Signed by a secret that is known: during a rotation the one header has room for the new secret alone.
  if (isRefused && received.standardSignature !== 'genuine') return 400;
  return answers[Math.min(Math.max(received.attempt ?? 1, 1), answers.length) - 1] ?? 200;
}

function give(response: ServerResponse, answer: ReceiveAnswer, received: Received): void {
  if (answer === 'hang') return;
  if (answer === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(answer, { 'content-type': 'text/plain' });
  response.end(answer === 204 || answer === 304 ? undefined : `received ${received.deliveryId ?? 'something'}\n`);
}

/** null = it is too large. */
async function read(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > bodyMost) return null;
      chunks.push(chunk);
    }
  } catch {
    // It was cut off: what came of it is shown.
  }
  return Buffer.concat(chunks);
}
