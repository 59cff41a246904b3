// An HTTP proxy on loopback that makes connections on request, and remembers to where.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Cleanup } from './scripted-server.ts';

export interface ConnectProxy {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** What it was asked for, as `host:port authorization`. */
  readonly asked: readonly string[];
  /** What is answered instead of a connection; null = it connects. */
  answer: string | null;
}

/** Starts one that leads every target to the same port of this machine. */
export async function startConnectProxy(t: Cleanup, port: number): Promise<ConnectProxy> {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client).once('data', (head: Buffer) => {
      const target = /^CONNECT (\S+) HTTP/.exec(head.toString())?.[1] ?? 'nothing';
      asked.push(`${target} ${/^proxy-authorization: (.*)$/m.exec(head.toString())?.[1]?.trim() ?? '-'}`);
      if (proxy.answer !== null) {
        client.end(proxy.answer);
        return;
      }
      const upstream = keep(connect({ host: '127.0.0.1', port }));
      client.write('HTTP/1.1 200 Connection established\r\nvia: test\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy: ConnectProxy = { host, asked, answer: null };
  return proxy;
}
