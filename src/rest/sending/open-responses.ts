// Responses in progress by connection: frees what they hold, and closes connections whose client does not read
// (docs/decisions/0131).
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Responses in progress. */
export type OpenResponses = ReturnType<typeof createOpenResponses>;

interface Connection {
  /** Of responses in progress, also those that wait behind another one on a pipelined connection. */
  readonly frees: Set<() => void>;
  /** Number of watched responses. */
  watched: number;
  /** Bytes that the system took from us so far. */
  taken: number;
  /** Since when it took none, on the clock of `performance.now()`. */
  since: number;
}

/** @param maxMs how long a client may read nothing */
export function createOpenResponses(maxMs: number) {
  const known = new WeakMap<Socket, Connection>();
  const watched = new Map<Socket, Connection>();
  let timer: NodeJS.Timeout | null = null;
  const unwatch = (socket: Socket): void => {
    watched.delete(socket);
    if (watched.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
  /** One listener per connection, which may have thousands of responses. */
  const connectionOf = (socket: Socket): Connection => {
    const present = known.get(socket);
    if (present !== undefined) return present;
    const connection: Connection = { frees: new Set(), watched: 0, taken: 0, since: 0 };
    known.set(socket, connection);
    // Node.js does not close responses that wait behind another one.
    socket.once('close', () => {
      for (const free of connection.frees) free();
      connection.frees.clear();
      unwatch(socket);
    });
    return connection;
  };
  return {
    /** Calls `free` once, when the response was sent or its connection is closed. */
    hold(response: ServerResponse, free: () => void): void {
      const socket = socketOf(response);
      if (response.closed || socket === null) {
        free();
        return;
      }
      const { frees } = connectionOf(socket);
      frees.add(free);
      response.once('close', () => {
        if (frees.delete(free)) free();
      });
    },
    /** Closes the connection if its client stops reading this response. */
    watch(response: ServerResponse): void {
      const socket = socketOf(response);
      if (response.closed || socket === null) return;
      const connection = connectionOf(socket);
      if (connection.watched++ === 0) {
        connection.taken = bytesOf(socket).taken;
        connection.since = performance.now();
        watched.set(socket, connection);
      }
      response.once('close', () => {
        if (--connection.watched === 0) unwatch(socket);
      });
      timer ??= setInterval(() => closeStalled(watched, maxMs), Math.min(1000, maxMs / 4)).unref();
    },
  };
}

/** The open connection of a response. Node.js takes it from a request whose body is not read to its end. */
function socketOf(response: ServerResponse): Socket | null {
  const socket = response.req.socket as Socket | null;
  return socket === null || socket.destroyed ? null : socket;
}

/** Closes connections whose client took nothing for some time. */
function closeStalled(watched: ReadonlyMap<Socket, Connection>, maxMs: number): void {
  const now = performance.now();
  for (const [socket, connection] of watched) {
    const { waiting, taken } = bytesOf(socket);
    if (waiting === 0 || taken !== connection.taken) {
      connection.taken = taken;
      connection.since = now;
    } else if (now - connection.since >= maxMs) socket.destroy();
  }
}

/** Node.js has no public counter of the bytes that the system took; requests without a network have no socket. */
interface Counted {
  readonly writableLength?: number;
  readonly _handle?: { readonly bytesWritten?: number; readonly writeQueueSize?: number } | null;
}

/** Bytes that wait for the client, and those that the system took so far. */
function bytesOf(socket: Counted): { readonly waiting: number; readonly taken: number } {
  const { bytesWritten = 0, writeQueueSize = 0 } = socket._handle ?? {};
  return { waiting: writeQueueSize + (socket.writableLength ?? 0), taken: bytesWritten - writeQueueSize };
}
