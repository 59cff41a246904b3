// A server that resets every connection at once, and a client that notices it late.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Listens on loopback in another thread, and resets what connects. */
export async function listenAndReset(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     const server = require('node:net').createServer((socket) => socket.resetAndDestroy());
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  worker.unref();
  const [port] = (await once(worker, 'message')) as [number];
  return { port, close: async () => void (await worker.terminate()) };
}

interface Handle {
  getpeername?(out: object): number;
}

/** While in use, connections of this thread notice that they are connected only after they have been reset. */
export function untilReset(): Disposable {
  const onSocket = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket & { readonly _handle?: Handle | null } };
    socket.once('connect', () => {
      // Reads the address from the system, because the socket would remember it.
      while (socket._handle?.getpeername?.({}) === 0);
    });
  };
  subscribe('net.client.socket', onSocket);
  return { [Symbol.dispose]: () => unsubscribe('net.client.socket', onSocket) };
}
