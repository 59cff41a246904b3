// Listens on every address: records connections, responds like a target or a receiver, and redirects on request.
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';

/** Connections by local address. */
export interface Trap {
  /** Addresses since the last call, without duplicates. */
  take(): string[];
  close(): void;
}

/** Listens for HTTP on a port of every address. `/to/<encoded URL>` redirects there, `/fail` fails. */
export async function startTrap(port: number): Promise<Trap> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    request.resume();
    // Headers are bytes: non-ASCII text is sent as UTF-8.
    const location = Buffer.from(path.startsWith('/to/') ? decodeURIComponent(path.slice(4)) : '').toString('latin1');
    if (location !== '') response.writeHead(307, { location }).end();
    else response.writeHead(path.startsWith('/fail') ? 500 : 200, { connection: 'close' }).end('ok');
  });
  return listen(server, port);
}

/** Listens on an unused port and drops connections. */
export async function startSilentTrap(port: number): Promise<Trap> {
  return listen(
    createTcpServer((socket) => socket.destroy()),
    port,
  );
}

async function listen(server: ReturnType<typeof createTcpServer>, port: number): Promise<Trap> {
  const seen: string[] = [];
  server.on('connection', (socket: Socket) => seen.push((socket.localAddress ?? '?').replace(/^::ffff:(?=\d+\.)/, '')));
  await new Promise<void>((resolve) => {
    server.listen({ host: '::', port, backlog: 1024 }, resolve);
  });
  return {
    take: () => [...new Set(seen.splice(0))],
    close: () => server.close(),
  };
}
