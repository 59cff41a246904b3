// An HTTP server on loopback that answers as told, request by request, and remembers what it was sent: a target of
// checks, and under the receiver of webhooks.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { until } from '../until.ts';

/** How one request is answered. */
export type Answer =
  | { readonly status: number; readonly body?: string; readonly delayMs?: number }
  /** No answer as long as the connection lives. */
  | 'hang'
  /** The connection is reset. */
  | 'reset';

/** A request as it came. */
export interface Hit {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Epoch ms. */
  readonly at: number;
}

export interface ScriptedServer {
  readonly url: string;
  readonly all: readonly Hit[];
  /** How requests are answered from now on; the function gets the request and how many came before it. */
  answer(how: Answer | ((hit: Hit, before: number) => Answer)): void;
  /** The first `count` requests, when they have come. */
  hits(count: number, withinMs?: number): Promise<readonly Hit[]>;
}

/** What closes the server when the test is over. */
export interface Cleanup {
  after(work: () => void | Promise<void>): void;
}

/** Starts a server that answers 200 until told otherwise. */
export async function startScriptedServer(t: Cleanup): Promise<ScriptedServer> {
  const all: Hit[] = [];
  let how: (hit: Hit, before: number) => Answer = () => ({ status: 200, body: 'ok' });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const hit: Hit = { method, url, headers, body: Buffer.concat(chunks), at: Date.now() };
      const given = how(hit, all.length);
      all.push(hit);
      if (given === 'hang') return;
      if (given === 'reset') {
        request.socket.resetAndDestroy();
        return;
      }
      const end = (): void => void response.writeHead(given.status).end(given.body);
      if (given.delayMs === undefined) end();
      else setTimeout(end, given.delayMs);
    });
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const seen = (): string => `it came: ${all.map(({ method, url }) => `${method} ${url}`).join(', ') || 'nothing'}`;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    all,
    answer: (given) => {
      how = typeof given === 'function' ? given : () => given;
    },
    hits: (count, withinMs = 30_000) =>
      until(`${count} requests`, () => all.length >= count && all.slice(0, count), { withinMs, seen }),
  };
}
