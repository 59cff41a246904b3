// Hostile targets and receivers of the noisy account: costly, endless, hanging and dripping responses.
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { answerQuestions } from '../support/peer.ts';

const items = JSON.stringify({
  items: Array.from({ length: 20_000 }, (_, index) => ({ index, text: 'a'.repeat(20) })),
});
const nested = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
const large = Buffer.alloc(5 * 1024 * 1024, 'x');
const dripMs = 5;

/** Responses by path. */
const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/items': (response) => response.end(items),
  '/nested': (response) => response.writeHead(500).end(nested),
  '/letters': (response) => response.end('a'.repeat(50_000)),
  // Announces one byte more than it sends.
  '/large': (response) => response.writeHead(200, { 'content-length': large.length + 1 }).write(large),
  '/ok': (response) => response.end('ok'),
  '/failing': (response) => response.writeHead(500).end('failing'),
  '/slow': (response) => setTimeout(() => response.end('ok'), 5000),
  '/moved': (response) => response.writeHead(301, { location: 'http://127.0.0.1:1/' }).end(),
};

const http = createHttpServer((request, response) => {
  request.resume();
  // Other paths never respond, like a hanging receiver.
  answers[request.url ?? '']?.(response);
});

const drip = createTcpServer((socket) => {
  const timer = setInterval(() => socket.write('a'.repeat(200)), dripMs);
  socket.on('error', () => socket.destroy());
  socket.once('close', () => clearInterval(timer));
});

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', 4096, () => resolve((server.address() as AddressInfo).port));
  });
}

answerQuestions({
  listen: async () => ({ http: `http://127.0.0.1:${await listen(http)}`, drip: await listen(drip) }),
});
