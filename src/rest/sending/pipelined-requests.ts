// Answers the requests of a connection one after another, and reads no further ones meanwhile (docs/decisions/0131).
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networksOf } from '../connections.ts';

/** Requests that may wait behind an unsent response of their connection. */
export interface WaitingAllowed {
  /** Of an address. */
  readonly each: number;
  /** Of all addresses. */
  readonly all: number;
}

/** More than fit into one part that is read from a connection, 64 kB, unless their headers are nearly empty. */
const waitingAllowed: WaitingAllowed = { each: 4000, all: 16_000 };

/** How long requests that waited are served before others have their turn, ms. */
const turnMs = 10;

/** Node.js parses all requests of a part at once, and has no public way to stop reading after it. */
interface Pausable {
  /** Read by the HTTP server before it reads on. */
  _paused?: boolean;
  readonly parser?: { resume(): void } | null;
}

type Waiting = readonly [IncomingMessage, ServerResponse];

/**
 * Makes a server run one request of a connection at a time. Without it, thousands of pipelined requests run at once,
 * and nobody else is answered meanwhile. A connection with which too many requests would wait is closed.
 */
export function answerInTurn(server: Server, allowed: WaitingAllowed = waitingAllowed): void {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const run = (...[request, response]: Waiting): void => {
    for (const listener of listeners) listener.call(server, request, response);
  };
  const lines = new Lines(allowed);
  const turns = createTurns(run);
  server.on('request', (request, response) => {
    // Node.js hands the connection to a response once the former one is sent.
    if (response.socket !== null) run(request, response);
    else if (lines.enter(request.socket)) {
      response.once('socket', () =>
        turns.add([request, response], () => {
          lines.leave(request.socket);
        }),
      );
    } else request.socket.destroy();
  });
}

/** Runs requests whose turn it is, each connection's in order, and lets others in between. */
function createTurns(run: (...waiting: Waiting) => void) {
  let ready: { readonly waiting: Waiting; readonly begin: () => void }[] = [];
  const serve = (): void => {
    const until = performance.now() + turnMs;
    let at = 0;
    for (const { waiting, begin } of ready) {
      if (performance.now() >= until) break;
      at++;
      if (waiting[0].socket.destroyed) continue;
      begin();
      run(...waiting);
    }
    ready = ready.slice(at);
    if (ready.length > 0) setImmediate(serve);
  };
  return {
    add(waiting: Waiting, begin: () => void): void {
      if (ready.push({ waiting, begin }) === 1) setImmediate(serve);
    },
  };
}

/** The waiting requests of a connection. */
interface Line {
  readonly address: string;
  length: number;
}

/** Counts waiting requests by connection, address and in all. */
class Lines {
  readonly #allowed: WaitingAllowed;
  readonly #lines = new WeakMap<Socket, Line>();
  readonly #addresses = new Map<string, number>();
  #all = 0;

  constructor(allowed: WaitingAllowed) {
    this.#allowed = allowed;
  }

  /** Whether one more request may wait. The connection is not read until none does. */
  enter(socket: Socket): boolean {
    if (socket.destroyed) return false;
    const line = this.#lineOf(socket);
    const { each, all } = this.#allowed;
    if ((this.#addresses.get(line.address) ?? 0) >= each || this.#all >= all) return false;
    this.#count(line, 1);
    stopReading(socket);
    return true;
  }

  /** A request of the connection waits no longer. */
  leave(socket: Socket): void {
    const line = this.#lineOf(socket);
    this.#count(line, -1);
    if (line.length === 0) readOn(socket);
  }

  #lineOf(socket: Socket): Line {
    const present = this.#lines.get(socket);
    if (present !== undefined) return present;
    const line: Line = { address: addressOf(socket), length: 0 };
    this.#lines.set(socket, line);
    socket.once('close', () => this.#count(line, -line.length));
    // Node.js reads on after each response that was larger than its buffer.
    socket.on('drain', () => {
      if (line.length > 0) stopReading(socket);
    });
    return line;
  }

  #count(line: Line, by: number): void {
    line.length += by;
    this.#all += by;
    const own = (this.#addresses.get(line.address) ?? 0) + by;
    if (own > 0) this.#addresses.set(line.address, own);
    else this.#addresses.delete(line.address);
  }
}

/** The largest network of a connection's address. */
function addressOf({ remoteAddress = '' }: Socket): string {
  return networksOf(remoteAddress)[0] ?? '';
}

function stopReading(socket: Socket & Pausable): void {
  socket._paused = true;
  socket.pause();
}

function readOn(socket: Socket & Pausable): void {
  socket._paused = false;
  socket.parser?.resume();
  socket.resume();
}
