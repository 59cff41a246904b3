// What listens on every address: it notes who was connected to, answers like a target or a receiver, and redirects on request.
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';

/** Connections by the address that was connected to. */
export interface Trap {
  /** Those since the last call, each address once. */
  take(): string[];
  close(): void;
}

/** Listens for HTTP on a port of every address there is. `/to/<URL, encoded>` redirects there, `/fail` is a failure. */
export async function startTrap(port: number): Promise<Trap> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    request.resume();
    // Headers are bytes: what is not ASCII goes out as UTF-8.
    const location = Buffer.from(path.startsWith('/to/') ? decodeURIComponent(path.slice(4)) : '').toString('latin1');
    if (location !== '') response.writeHead(307, { location }).end();
    else response.writeHead(path.startsWith('/fail') ? 500 : 200, { connection: 'close' }).end('ok');
  });
  return listen(server, port);
}

/** Listens on a port where nobody has business; what comes is dropped. */
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
