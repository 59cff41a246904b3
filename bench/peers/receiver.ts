// A webhook receiver: counts deliveries, records their time of arrival, and verifies every twentieth signature.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { answerQuestions, listenLocally } from '../support/peer.ts';
import { channelSecret } from '../support/seed.ts';

/** Deliveries since the last `reset`. Times are epoch ms with decimals. */
export interface Received {
  readonly count: number;
  readonly duplicates: number;
  readonly firstAt: number;
  readonly verified: number;
  readonly refused: number;
  /** From `x-service-timestamp` to the arrival of the request, ms. */
  readonly latencies: readonly number[];
}

const sampled = 20;
let ids = new Set<string>();
let latencies: number[] = [];
let count = 0;
let firstAt = 0;
let verified = 0;
let refused = 0;

/** Every nth path never responds and is not counted; 0 = none. */
let hangingEach = 0;

const server = createServer((request, response) => {
  if (hangingEach > 0 && Number(request.url?.slice(1)) % hangingEach === 0) {
    request.resume();
    return;
  }
  const now = performance.timeOrigin + performance.now();
  if (count++ === 0) firstAt = now;
  const { headers } = request;
  const id = headers['x-service-delivery-id'];
  if (typeof id === 'string') ids.add(id);
  latencies.push(now - Number(headers['x-service-timestamp']));
  if (count % sampled !== 0) {
    request.resume();
    request.once('end', () => response.end('ok'));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => {
    if (isSigned(request, Buffer.concat(chunks))) verified++;
    else refused++;
    response.end('ok');
  });
});
server.keepAliveTimeout = 60_000;

function isSigned({ headers, url }: IncomingMessage, body: Buffer): boolean {
  const secret = channelSecret(Number(url?.slice(1)));
  const expected = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(String(headers['x-service-signature']), 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

answerQuestions({
  listen: () => listenLocally(server),
  reset: () => {
    ids = new Set();
    latencies = [];
    count = verified = refused = 0;
  },
  received: (): Received => ({
    count,
    duplicates: count - ids.size,
    firstAt,
    verified,
    refused,
    latencies,
  }),
  count: () => count,
  hangEach: (each: number) => void (hangingEach = each),
});
