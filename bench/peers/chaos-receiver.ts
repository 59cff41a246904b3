// A receiver that records every request, verifies signatures and responds slowly, so that kills interrupt attempts.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { answerQuestions, listenLocally } from '../support/peer.ts';

/** A received request. */
export interface Request {
  readonly channel: number;
  readonly deliveryId: string;
  readonly timestamp: string;
  readonly isSigned: boolean;
  readonly alertType: string;
  readonly checkId: string;
  readonly resultId: string;
  /** Time of arrival, epoch ms. */
  readonly at: number;
  /** Start of the run according to the alert, epoch ms. */
  readonly startedAt: number;
  /** Response time according to the alert, ms; NaN = not included. */
  readonly responseMs: number;
}

let longestAnswerMs = 120;
const requests: Request[] = [];
let secrets: Readonly<Record<number, string>> = {};

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    // Of a channel of people; the database says what was grouped.
    if (request.url !== '/people') note(request, Buffer.concat(chunks));
    setTimeout(() => response.end('ok'), Math.random() * longestAnswerMs);
  });
});

function note({ url, headers }: IncomingMessage, body: Buffer): void {
  const channel = Number(url?.slice(1));
  const variables = JSON.parse(body.toString()) as Record<string, unknown>;
  const signature = createHmac('sha256', secrets[channel] ?? '')
    .update(body)
    .digest('hex');
  requests.push({
    channel,
    deliveryId: String(headers['x-service-delivery-id']),
    timestamp: String(headers['x-service-timestamp']),
    isSigned: headers['x-service-signature'] === signature,
    alertType: String(variables['ALERT_TYPE']),
    checkId: String(variables['CHECK_ID']),
    resultId: String(variables['CHECK_RESULT_ID']),
    at: Date.now(),
    startedAt: Date.parse(String(variables['STARTED_AT'])),
    responseMs: Number(variables['RESPONSE_TIME']),
  });
}

answerQuestions({
  listen: (known: Readonly<Record<number, string>>) => {
    secrets = known;
    return listenLocally(server);
  },
  requests: () => requests,
  /** Sets the maximum delay of responses, ms. */
  takeLonger: (ms: number) => void (longestAnswerMs = ms),
});
