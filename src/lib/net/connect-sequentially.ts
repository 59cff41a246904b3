// Happy Eyeballs: connects to the first address that accepts, and starts the next one if one fails or is slow (RFC
// 8305).
import { connect, type Socket } from 'node:net';

/** Delay before the next address is tried in parallel, ms (RFC 8305 §5). */
const staggerMs = 250;

interface Connection {
  readonly socket: Socket;
  /** The address that was asked for. */
  readonly address: string;
  /** The address that it is really connected to. */
  readonly peer: string;
}

/** The connection, or the errors of all addresses in order. */
export type Connected = Connection | { readonly errors: readonly unknown[] };

/** Connects to one of `addresses`; returns a function that cancels. `done` is called once, unless cancelled. */
export function connectSequentially(
  addresses: readonly string[],
  port: number,
  done: (result: Connected) => void,
  options: { readonly allowHalfOpen?: boolean } = {},
): () => void {
  const sockets = new Set<Socket>();
  const errors: unknown[] = [];
  let next = 0;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  const end = (kept: Socket | null): void => {
    isOver = true;
    clearTimeout(timer);
    for (const socket of sockets) if (socket !== kept) socket.destroy();
  };
  const tryNext = (): void => {
    clearTimeout(timer);
    const index = next++;
    const address = addresses[index];
    if (address === undefined) return;
    const socket = connect({ ...options, host: address, port, autoSelectFamily: false });
    sockets.add(socket);
    const onError = (error: unknown): void => {
      sockets.delete(socket);
      if (isOver) return;
      errors[index] = error;
      if (next < addresses.length) tryNext();
      else if (sockets.size === 0) {
        end(null);
        done({ errors });
      }
    };
    socket.once('error', onError);
    socket.once('connect', () => {
      if (isOver) return;
      const peer = socket.remoteAddress;
      // The other side has reset the connection already: then the system no longer knows its address.
      if (peer === undefined) {
        socket.destroy(resetError(address, port));
        return;
      }
      socket.off('error', onError);
      end(socket);
      done({ socket, address, peer });
    });
    if (next < addresses.length) timer = setTimeout(tryNext, staggerMs);
  };
  tryNext();
  return () => {
    if (!isOver) end(null);
  };
}

function resetError(address: string, port: number): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read', address, port });
}
