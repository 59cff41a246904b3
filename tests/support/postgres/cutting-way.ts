// A way to a database that breaks at the statements a test names: each is seen once, never arrives, and its connection ends.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Cleanup } from '../targets/scripted-server.ts';

/** Starts it. Answers with the address of the database by that way, and with what is still to be cut. */
export async function startCuttingWay(
  t: Cleanup,
  url: string,
  statements: readonly string[],
): Promise<{ readonly url: string; readonly left: readonly string[] }> {
  const way = new URL(url);
  const left = [...statements];
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    near.on('data', (chunk: Buffer) => {
      const found = left.findIndex((statement) => chunk.includes(statement));
      if (found === -1) return far.write(chunk);
      left.splice(found, 1);
      return near.resetAndDestroy();
    });
    far.on('data', (chunk: Buffer) => near.write(chunk));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        for (const each of [near, far]) sockets.delete(each.destroy());
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  way.port = String((server.address() as AddressInfo).port);
  return { url: way.href, left };
}
