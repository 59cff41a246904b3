// A receiver that records every attempt and its response. Whether an attempt fails depends on the id of its delivery.
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type ReceivedMail, startSmtpServer } from '../../tests/support/receivers/smtp-server.ts';
import { answerQuestions, listenLocally } from '../support/peer.ts';
import { channelSecret } from '../support/seed.ts';

/** A received attempt. */
export interface Arrival {
  readonly id: string;
  readonly attempt: number;
  /** The same for all attempts; of an email, its bytes. */
  readonly timestamp: string;
  readonly replayOf: string | null;
  readonly isSigned: boolean;
  /** Of the body. */
  readonly hash: string;
  /** Status of the response, if the sender was still connected. */
  readonly status: number;
}

const answerAfterMs = 10;
const arrivals: Arrival[] = [];

/** Number of attempts of a delivery that fail before one succeeds: 0, 1 or 2. */
function failuresOf(id: string): number {
  const digit = Number.parseInt(id.at(-1) ?? '0', 16);
  if (digit < 8) return 0;
  return digit < 14 ? 1 : 2;
}

const server = createServer((request, response) => {
  void buffer(request).then(
    (body) => {
      response.statusCode = note(request, body);
      setTimeout(() => response.end('ok'), answerAfterMs);
    },
    () => undefined,
  );
});
server.keepAliveTimeout = 60_000;

function note({ url, headers }: IncomingMessage, body: Buffer): number {
  const header = (name: string): string => String(headers[name] ?? '');
  const id = header('x-service-delivery-id');
  const attempt = Number(header('x-service-attempt'));
  const signature = createHmac('sha256', channelSecret(Number(url?.slice(1))))
    .update(body)
    .digest('hex');
  const status = attempt > failuresOf(id) ? 200 : 500;
  arrivals.push({
    id,
    attempt,
    timestamp: header('x-service-timestamp'),
    replayOf: header('x-service-replay-of') || null,
    isSigned: header('x-service-signature') === signature,
    hash: hashOf(body),
    status,
  });
  return status;
}

/** Every email is accepted, so each arrival is of its first attempt. */
function noteMail({ raw }: ReceivedMail): void {
  const [, id = ''] = /^Message-ID: <([^@]+)@/m.exec(raw) ?? [];
  const [body = ''] = /\{"made":"[^"]+"\}/.exec(raw) ?? [];
  arrivals.push({
    id,
    attempt: 1,
    timestamp: hashOf(raw),
    replayOf: null,
    isSigned: true,
    hash: hashOf(body),
    status: 250,
  });
}

function hashOf(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('base64');
}

answerQuestions({
  listen: () => listenLocally(server),
  /** Starts a mail server and returns its port. */
  listenMail: async () => (await startSmtpServer({ onMail: noteMail })).port,
  /** Attempts from the given one on. */
  arrivals: (from: number) => arrivals.slice(from),
});
