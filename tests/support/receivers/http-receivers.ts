// Receivers on loopback and a sender for tests. All are closed when the test file ends.
import { once } from 'node:events';
import { lookup } from 'node:dns/promises';
import http from 'node:http';
import net from 'node:net';
import { after } from 'node:test';
import type { ConnectionGuard } from '#lib/net/guarded.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import type { ChannelSender, Sending } from '#channels/kind.ts';
import { createHttpSender, type HttpSenderOptions, type Prepare } from '#channels/http/http-sender.ts';

/** Allows everything. */
export const open: ConnectionGuard = {
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  judge: () => null,
};
const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing) await close();
});

const asItIs: Prepare = ({ request }) => ({ request });

/** Sends requests as they are. */
export function createPlainSender(options: Omit<HttpSenderOptions, 'prepare'>): ChannelSender {
  return createHttpSender({ ...options, prepare: asItIs });
}

/** A sender with a short deadline. */
export function sender(
  deadlineMs = 5000,
  guard: ConnectionGuard = open,
  extraCertificates: readonly string[] = [],
  prepare: Prepare = asItIs,
): ChannelSender {
  const made = createHttpSender({ guard, deadlineMs, extraCertificates, prepare });
  closing.push(() => made.close());
  return made;
}

/** Starts a server on a free port and returns `host:port`. */
export async function listen(server: net.Server): Promise<string> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

/** A server that answers the first bytes of each connection with a raw response. */
export function raw(answer: (socket: net.Socket) => void): Promise<string> {
  return listen(net.createServer((socket) => socket.once('data', () => answer(socket))));
}

/** A received request. */
export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** An HTTP server that records what it receives. */
export async function receiver(answer: http.RequestListener): Promise<{ host: string; received: Received[] }> {
  const received: Received[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method, url, headers, rawHeaders } = request;
    received.push({ method, url, headers, rawHeaders, body: Buffer.concat(chunks) });
    answer(request, response);
  });
  return { host: await listen(server), received };
}

/** A sending with defaults. */
export function sending(host: string, request: Partial<Message> = {}, more: Partial<Sending> = {}): Sending {
  const base = { method: 'POST', url: `http://${host}/hook`, headers: [], body: '{"a":"größer 🔥"}' };
  const signing = {
    type: 'TEST',
    accountId: 'a-1',
    deliveryId: 'd-1',
    createdAt: 1000,
    startedAt: Date.now(),
    attempt: 1,
    replayOf: null,
    secrets: {},
  };
  return { ...signing, ...more, request: { ...base, ...request } };
}
