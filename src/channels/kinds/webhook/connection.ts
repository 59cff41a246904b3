// The connections to receivers, by origin: each request is told which one it goes over, and what is idle for long is forgotten.
import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher, errors, Pool } from 'undici';

/** One connection; another socket after the first was lost. */
export interface Connection {
  /** null until it was connected for the first time. */
  socket: Socket | null;
  /** Whether this socket has brought a response before. */
  hasServed: boolean;
  /** Who waits for a response; null while no request is in progress. */
  reader: ResponseReader | null;
}

/** Sees the bytes of a response before undici parses them. */
export interface ResponseReader {
  /** Called before so many bytes are read; may end the request. */
  onBytes(count: number): void;
  /** What is to be parsed now; null = more bytes are needed. */
  take(bytes: Buffer): Buffer | null;
}

/** A request that is told which connection it goes over, before it starts. */
export interface ConnectedHandler extends Dispatcher.DispatchHandler {
  connection: Connection | null;
}

/** Connections to all receivers. */
export interface Connections {
  /** Over a connection that may have been kept; throws what undici throws for a request that cannot be sent. */
  dispatch(options: Dispatcher.DispatchOptions & { readonly origin: string }, handler: ConnectedHandler): void;
  /** How many origins are remembered. */
  readonly origins: number;
  /** Ends them all. */
  close(): Promise<void>;
}

/** How often it is looked for origins that nobody is connected to any more, ms. */
const sweptEveryMs = 10_000;

/**
 * Opens no connection yet. undici's own list of origins keeps one for ever when a request to it was aborted, and templates
 * can name any number of them: here an origin is dropped as soon as nothing is open or under way.
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
      // Asked for HTTP/2, undici would hold back all others until the first connection to an origin is secured.
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

/** undici's client of one connection, which tells each request of it. */
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

/** Bytes that are parsed at once. */
const piece = 4096;

/**
 * Gives undici the bytes of a socket in pieces, and by way of whoever waits for the response. One read of undici's could
 * otherwise hold tens of thousands of headers beyond its limit, each of which becomes an error.
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
