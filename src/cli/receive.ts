// `receive`: a test receiver that prints webhooks and answers as instructed.
import type { Command } from 'commander';
import { once } from 'node:events';
import { systemClock } from '#lib/clock.ts';
import { UsageError, CommandError } from './exits.ts';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInbox, type Received, receivedText } from './received.ts';
import { commandName } from '#lib/package-files.ts';

/** A status, no answer, or a closed connection. */
export type ReceiveAnswer = number | 'hang' | 'reset';

/** Options of the receiver. */
export interface ReceiveOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Newest first; empty = signatures are not verified. */
  readonly secrets: readonly string[];
  /** Answers by attempt of a delivery; the last one repeats. */
  readonly answers: readonly ReceiveAnswer[];
  /** Delay in ms between the end of a request and the answer. */
  readonly waitMs: number;
  /** Epoch ms. */
  readonly now: () => number;
  readonly onReceived: (received: Received, answer: ReceiveAnswer) => void;
}

/** A listening receiver. */
export interface Receiving {
  /** `http://host:port`. */
  readonly url: string;
  close(): void;
}

/** Maximum body size read. Tocsin's own payloads are at most 256 kB. */
const maxBody = 1_000_000;

/** Starts listening. Throws CommandError on failure. */
export async function startReceiving(options: ReceiveOptions): Promise<Receiving> {
  const { host, port, secrets, now } = options;
  const judge = createInbox(secrets);
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      if (body === null) return response.writeHead(413, { connection: 'close' }).end();
      const { method = '', url = '', headers } = request;
      const received = judge({ at: now(), method, url, headers, body });
      const answer = answerTo(received, options.answers);
      options.onReceived(received, answer);
      return setTimeout(give, options.waitMs, response, answer, received);
    });
  });
  // The sender's own timeout ends the request.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new CommandError(`${host}:${port} is not available: ${error.message}`)));
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

/** An invalid signature gets 400, as from any receiver (spec §6.4); other requests get the configured answer. */
function answerTo(received: Received, answers: readonly ReceiveAnswer[]): ReceiveAnswer {
  const isRefused = [received.bodySignature, received.standardSignature].some(
    (verdict) => verdict === 'forged' || verdict === 'expired',
  );
  // Whether any known secret signed the request. During a rotation `x-service-signature` is made with the new secret
  // only.
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
  response.end(
    answer === 204 || answer === 304
      ? undefined
      : `received ${received.deliveryId ?? 'a request without delivery id'}\n`,
  );
}

/** null = too large. */
async function read(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBody) return null;
      chunks.push(chunk);
    }
  } catch {
    // The request was cut off; show the part that arrived.
  }
  return Buffer.concat(chunks);
}

const longestWaitS = 600;

interface ReceiveWords {
  readonly secret: string[];
  readonly host: string;
  readonly port: string;
  readonly answer: string;
  readonly wait: string;
  readonly json: boolean;
}

/** Defines `receive`. */
export function defineReceive(command: Command): void {
  command
    .description('Run a test receiver that prints each webhook and verifies its signature.')
    .option('--secret <text>', 'secret of the channel; repeat to accept several', collect, [])
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <number>', 'port to listen on; 0 chooses a free one', '8095')
    .option('--answer <list>', 'response per attempt: a status, hang or reset, separated by commas', '200')
    .option('--wait <seconds>', 'delay before each response, maximum 600 s', '0')
    .option('--json', 'print JSON lines', false)
    .addHelpText('after', `\nExample:\n  ${commandName} receive --secret a-long-random-text --answer 500,500,200`)
    .action(receive);
}

function collect(text: string, texts: readonly string[]): string[] {
  return [...texts, text];
}

async function receive(values: ReceiveWords): Promise<void> {
  if (values.secret.includes(''))
    throw new UsageError('--secret must not be empty; omit it if the channel has no secret');
  const receiving = await startReceiving({
    host: values.host,
    port: within(values.port, '--port', 65_535),
    secrets: values.secret,
    answers: values.answer.split(',').map(parseAnswer),
    waitMs: within(values.wait, '--wait', longestWaitS) * 1000,
    now: () => systemClock.now(),
    onReceived: (received, answer) => {
      const line = JSON.stringify({ ...received, at: new Date(received.at).toISOString(), answer });
      process.stdout.write(values.json ? `${line}\n` : `${receivedText(received, answerText(answer))}\n`);
    },
  });
  process.stdout.write(
    values.json ? `${JSON.stringify(receiving)}\n` : `Listening on ${receiving.url}. Press Ctrl-C to stop.\n\n`,
  );
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  receiving.close();
}

function within(text: string, name: string, max: number): number {
  const value = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || value > max || (name === '--port' && !Number.isInteger(value))) {
    throw new UsageError(`${name} must be a number from 0 to ${max}, not ${text}`);
  }
  return value;
}

function parseAnswer(text: string): ReceiveAnswer {
  if (text === 'hang' || text === 'reset') return text;
  const status = Number(text);
  if (Number.isInteger(status) && status >= 200 && status <= 599) return status;
  throw new UsageError(
    `--answer must be a comma-separated list of statuses (200 to 599), hang or reset, one per attempt; not ${text}`,
  );
}

function answerText(answer: ReceiveAnswer): string {
  if (answer === 'hang') return 'none (hang)';
  return answer === 'reset' ? 'connection closed (reset)' : String(answer);
}
