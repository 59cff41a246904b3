// Connection pool for receivers, grouped by origin. Reports each request's connection and drops idle origins.
import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher, errors, Pool } from 'undici';

/** One connection. A reconnect replaces the socket. */
export interface Connection {
  /** null until first connected. */
  socket: Socket | null;
  /** Whether this socket has delivered a response before. */
  hasServed: boolean;
  /** Reader of the pending response; null if no request is in progress. */
  reader: ResponseReader | null;
}

/** Inspects response bytes before undici parses them. */
export interface ResponseReader {
  /** Called before `count` bytes are read; may end the request. */
  onBytes(count: number): void;
  /** Returns the bytes to parse now, or null if more are needed. */
  take(bytes: Buffer): Buffer | null;
}

/** A request handler that receives its connection before the request starts. */
export interface ConnectedHandler extends Dispatcher.DispatchHandler {
  connection: Connection | null;
}

/** Connections to all receivers. */
export interface Connections {
  /** Sends over a pooled connection. Throws undici's error for a request that cannot be sent. */
  dispatch(options: Dispatcher.DispatchOptions & { readonly origin: string }, handler: ConnectedHandler): void;
  readonly origins: number;
  close(): Promise<void>;
}

/** Interval between sweeps for unused origins. */
const sweptEveryMs = 10_000;

/**
 * Creates an empty pool. undici's own list keeps an origin forever if a request to it was aborted, and templates can
 * name any number of origins. This pool drops an origin when it has no connection and no request.
 */
export function createConnections(connect: buildConnector.connector, options: Client.Options): Connections {
  const pools = new Map<string, Pool>();
  let isClosed = false;
  const poolOf = (origin: string): Pool => {
    if (isClosed) throw new errors.ClientDestroyedError();
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const made = new Pool(origin, {
      ...options,
      // With HTTP/2 allowed, undici would delay other requests until the first connection to an origin is secured.
      allowH2: false,
      factory: (url) => new KnownClient(url, options, connect),
    });
    pools.set(origin, made);
    return made;
  };
  const sweep = setInterval(() => {
    for (const [origin, pool] of pools) {
      const { size, connected } = pool.stats;
      if (size > 0 || connected > 0) continue;
      pools.delete(origin);
      void pool.close();
    }
  }, sweptEveryMs);
  sweep.unref();
  return {
    get origins() {
      return pools.size;
    },
    dispatch: (request, handler) => void poolOf(request.origin).dispatch(request, handler),
    async close() {
      isClosed = true;
      clearInterval(sweep);
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

/** A single-connection undici client that reports its connection to each request. */
class KnownClient extends Client {
  readonly #connection: Connection;

  constructor(url: URL, options: Client.Options, connect: buildConnector.connector) {
    const connection: Connection = { socket: null, hasServed: false, reader: null };
    super(url, {
      ...options,
      allowH2: false,
      connect: (target, callback) =>
        connect(target, (...result) => {
          const [error, socket] = result;
          if (error === null) {
            connection.socket = socket;
            connection.hasServed = false;
            readThrough(socket, connection);
          }
          callback(...result);
        }),
    });
    this.#connection = connection;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: ConnectedHandler): boolean {
    handler.connection = this.#connection;
    return super.dispatch(options, handler);
  }
}

/** Bytes parsed at once. */
const piece = 4096;

/**
 * Passes socket data to undici in pieces, through the reader of the pending response. A single large read could hold
 * tens of thousands of headers beyond undici's limit, each of which becomes an error.
 */
function readThrough(socket: Socket, connection: Connection): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  socket.read = () => {
    for (;;) {
      const size = Math.min(socket.readableLength, piece);
      if (size > 0) connection.reader?.onBytes(size);
      const bytes = socket.destroyed ? null : read(size || undefined);
      if (bytes === null || connection.reader === null) return bytes;
      const parsed = connection.reader.take(bytes);
      if (parsed !== null) return parsed;
    }
  };
}
