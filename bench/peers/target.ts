// A target of checks: plain node:http with tiny responses, in its own process.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from '../support/peer.ts';

/** Behavior: responds at once, after a delay, or alternates between passing and failing by path. */
interface Manner {
  readonly kind: 'instant' | 'after' | 'alternate';
  readonly afterMs?: number;
}

const body = JSON.stringify({ ok: true, shop: 'open' });
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
const alternate = new Map<string, boolean>();
let manner: Manner = { kind: 'instant' };
let requests = 0;
let acceptedAt: number[] = [];

const server = createServer((request, response) => {
  requests++;
  if (manner.kind === 'after') setTimeout(answer, manner.afterMs ?? 0, response, 200);
  else if (manner.kind === 'instant') answer(response, 200);
  else {
    const isFailing = !(alternate.get(request.url ?? '') ?? false);
    alternate.set(request.url ?? '', isFailing);
    answer(response, isFailing ? 500 : 200);
  }
});
server.on('connection', () => {
  if (manner.kind === 'after') acceptedAt.push(performance.timeOrigin + performance.now());
});

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, headers);
  response.end(body);
}

answerQuestions({
  listen: () =>
    new Promise<string>((resolve) => {
      server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      );
    }),
  address: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  behave: (next: Manner) => {
    manner = next;
    acceptedAt = [];
  },
  requests: () => requests,
  acceptedAt: () => acceptedAt,
});
