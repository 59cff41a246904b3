// A proxy to the database with one port per process, which can cut or stall connections or drop commit responses.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { answerQuestions } from '../support/peer.ts';

/** Splits the stream of one connection into messages. */
interface Answers {
  /**
   * Returns the complete messages; incomplete data is kept for the next call.
   *
   * @param chunk next bytes
   */
  read(chunk: Buffer): readonly Buffer[];
}

const headLength = 5;
/** First message of a client that requests encryption; the response is one letter without a length. */
const encryptionAsked = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** @param first first bytes of the client */
function createAnswers(first: Buffer): Answers {
  let rest: Buffer = Buffer.alloc(0);
  let letters = first.subarray(0, encryptionAsked.length).equals(encryptionAsked) ? 1 : 0;
  return {
    read(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const messages: Buffer[] = [];
      for (;;) {
        const length = letters > 0 ? letters : lengthOf(rest);
        if (length === null || rest.length < length) return messages;
        letters = 0;
        messages.push(rest.subarray(0, length));
        rest = rest.subarray(length);
      }
    },
  };
}

function lengthOf(bytes: Buffer): number | null {
  return bytes.length < headLength ? null : 1 + bytes.readUInt32BE(1);
}

/** Whether it confirms a commit; a failed transaction returns ROLLBACK. */
function isCommitted(message: Buffer): boolean {
  return message.toString('latin1', 0, 1) === 'C' && message.toString('latin1', headLength) === 'COMMIT\0';
}

/** Whether the server is ready for a statement and not in a transaction. */
function isIdle(message: Buffer): boolean {
  return message.toString('latin1', 0, 1) === 'Z' && message.toString('latin1', headLength) === 'I';
}

/** A client connection and its connection to the database. */
interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  /** Whether the response to the current COMMIT is dropped. */
  isDropping: boolean;
}

interface Route {
  readonly pairs: Set<Pair>;
  /** Nothing is forwarded in either direction, but connections are accepted. */
  isStalled: boolean;
  /** Number of commit responses still to drop. */
  drops: number;
  /** Number of successful commits whose response was dropped. */
  lost: number;
}

const routes = new Map<string, Route>();
/** A simple query as sent by the driver: a letter, a length, the text and a zero byte. */
const commit = /Q....commit\0$/is;

function routeOf(name: string): Route {
  const route = routes.get(name);
  if (route === undefined) throw new Error(`unknown process ${name}`);
  return route;
}

async function open({ name, port }: { name: string; port: number }): Promise<number> {
  const route: Route = { pairs: new Set(), isStalled: false, drops: 0, lost: 0 };
  routes.set(name, route);
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (near) => join(route, near, port));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function join(route: Route, near: Socket, port: number): void {
  const far = connect({ port, host: '127.0.0.1', noDelay: true });
  const pair: Pair = { near, far, isDropping: false };
  route.pairs.add(pair);
  let answers: Answers | null = null;
  near.on('data', (chunk: Buffer) => {
    answers ??= createAnswers(chunk);
    if (route.drops > 0 && !pair.isDropping && commit.test(chunk.toString('latin1'))) {
      route.drops--;
      pair.isDropping = true;
    }
    far.write(chunk);
  });
  far.on('data', (chunk: Buffer) => {
    near.cork();
    const isOpen = (answers?.read(chunk) ?? []).every((message) => forward(route, pair, message));
    if (isOpen) near.uncork();
  });
  near.on('end', () => far.end());
  far.on('end', () => near.end());
  for (const socket of [near, far]) {
    socket.on('error', () => {});
    socket.once('close', () => {
      route.pairs.delete(pair);
      near.destroy();
      far.destroy();
    });
  }
  if (route.isStalled) far.pause();
  else near.resume();
}

/**
 * Statements before a COMMIT may share its packet, and so may their responses, which are forwarded. Only the confirmation
 * of the commit is dropped.
 *
 * @returns whether the connection is still open
 */
function forward(route: Route, pair: Pair, message: Buffer): boolean {
  if (pair.isDropping && isCommitted(message)) {
    route.lost++;
    cutPair(pair);
    return false;
  }
  if (pair.isDropping && isIdle(message)) {
    // The transaction had failed and the process knows, so the next commit is dropped instead.
    pair.isDropping = false;
    route.drops++;
  }
  pair.near.write(message);
  return true;
}

/** The process sees a reset connection. */
function cutPair({ near, far }: Pair): void {
  near.resetAndDestroy();
  far.destroy();
}

answerQuestions({
  open,
  /** Cuts all connections of each process, or the first ones. */
  cut: ({ names, share }: { names: readonly string[]; share: number }) => {
    let cut = 0;
    for (const name of names) {
      const { pairs } = routeOf(name);
      for (const pair of [...pairs].slice(0, Math.ceil(pairs.size * share))) {
        cutPair(pair);
        cut++;
      }
    }
    return cut;
  },
  /** Drops the responses to the next commits of each process. */
  drop: ({ names, commits }: { names: readonly string[]; commits: number }) => {
    for (const name of names) routeOf(name).drops += commits;
  },
  /** Stops dropping responses. Returns how many were dropped. */
  stopDropping: () => {
    let lost = 0;
    for (const route of routes.values()) {
      lost += route.lost;
      route.drops = 0;
      for (const pair of route.pairs) pair.isDropping = false;
    }
    return lost;
  },
  stall: (names: readonly string[]) => {
    for (const name of names) {
      const route = routeOf(name);
      route.isStalled = true;
      for (const { near, far } of route.pairs) for (const socket of [near, far]) socket.pause();
    }
  },
  release: (names: readonly string[]) => {
    for (const name of names) {
      const route = routeOf(name);
      route.isStalled = false;
      for (const { near, far } of route.pairs) for (const socket of [near, far]) socket.resume();
    }
  },
});
