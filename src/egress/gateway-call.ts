// One call at a gateway: a line that says where to, an answer of one line, and from then on the bytes of both sides.
import type { Socket } from 'node:net';
import { type Connected, connectInTurn } from '#lib/net/connect-in-turn.ts';
import type { Guard } from './guard.ts';

/** What a call is served with. */
export interface CallMeans {
  readonly guard: Guard;
  /** How long it may take to say what it wants, ms. */
  readonly askMs: number;
  /** How long this one is to wait for its turn, ms. */
  readonly turn: () => number;
  /** Told of the connection that was made for it. */
  readonly onWay: (socket: Socket) => void;
}

/** The longest line that is read, bytes: a name has 253. */
const mostLine = 1024;
/** How long a target may take to accept a connection, ms. */
const connectMs = 60_000;
/** How long a target may say nothing once the script has said all it had to, ms. */
const lingerMs = 30_000;

/** Serves it to its end; never throws. Everything that comes from it is foreign. */
export function serveCall(socket: Socket, { guard, askMs, turn, onWay }: CallMeans): void {
  let giveUp = (): void => {};
  const late = setTimeout(() => socket.destroy(), askMs);
  let waiting: NodeJS.Timeout | undefined;
  socket.once('close', () => {
    clearTimeout(late);
    clearTimeout(waiting);
    giveUp();
  });
  readLine(socket, (line) => {
    clearTimeout(late);
    const asked = line === null ? null : readRequest(line);
    if (asked === null) {
      refuseCall(socket, 'EGRESS_REQUEST', 'the gateway takes a host and a port, or a name to look up');
      return;
    }
    const stay = watchEnd(socket);
    const begin = (): void => {
      if (asked.port === null) void lookUp(socket, asked, guard);
      else giveUp = makeWay(socket, { host: asked.host, port: asked.port }, { guard, onWay, stay });
    };
    const waitMs = turn();
    if (waitMs === 0) begin();
    else waiting = setTimeout(begin, waitMs);
  });
}

/** Answers with an error, and that was it. */
export function refuseCall(socket: Socket, code: string, message: string): void {
  endWith(socket, { error: { code, message } });
}

interface Asked {
  readonly host: string;
  /** null = its addresses are asked for. */
  readonly port: number | null;
  readonly family: 0 | 4 | 6;
}

/** `{"connect":"shop.example","port":443}` or `{"lookup":"shop.example","family":4}`; null = neither. */
function readRequest(line: string): Asked | null {
  let told: unknown;
  try {
    told = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof told !== 'object' || told === null) return null;
  const { connect: target, lookup, port, family } = told as Readonly<Record<string, unknown>>;
  const host = target ?? lookup;
  if (typeof host !== 'string' || !/^[^\s\0]{1,255}$/.test(host)) return null;
  if (target === undefined) return { host, port: null, family: family === 4 || family === 6 ? family : 0 };
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535) return null;
  return { host, port, family: 0 };
}

async function lookUp(socket: Socket, { host, family }: Asked, guard: Guard): Promise<void> {
  try {
    endWith(socket, { addresses: await guard.resolve(host, family, null) });
  } catch (error) {
    endWith(socket, { error: told(error) });
  }
}

/** Connects, says so, and passes on what comes from either side. @returns how to give up */
function makeWay(
  socket: Socket,
  place: Place,
  { guard, onWay, stay }: Pick<CallMeans, 'guard' | 'onWay'> & { readonly stay: () => void },
): () => void {
  let isOver = false;
  const giveUp = reach(place, guard, (error, way) => {
    isOver = true;
    if (way === null) {
      endWith(socket, { error: told(error) });
      return;
    }
    onWay(way);
    way.on('error', () => socket.destroy());
    socket.on('error', () => way.destroy());
    if (socket.destroyed) {
      way.destroy();
      return;
    }
    stay();
    const isOurs = guard.tunnel === null;
    socket.write(
      `${JSON.stringify({ address: isOurs ? way.remoteAddress : null, port: isOurs ? way.remotePort : null })}\n`,
    );
    // Nothing of the target's may come before the script's side is ready for it: it says so with an empty line.
    readLine(socket, (line) => {
      if (line !== '') {
        socket.destroy();
        way.destroy();
        return;
      }
      socket.pipe(way);
      way.pipe(socket);
      socket.once('end', () => way.setTimeout(lingerMs, () => way.destroy()));
      way.once('close', () => socket.end());
    });
  });
  // Once it is made, what was sent is still to arrive when the script has closed its side.
  return () => {
    if (!isOver) giveUp();
  };
}

/**
 * Ends a call whose script closes its side before it is served: nobody waits for what it asked. Answers with how to let it
 * close its side, and go on.
 */
function watchEnd(socket: Socket): () => void {
  // Nothing is taken of what it sends already; that it has ended is seen by looking.
  const look = (): void => void socket.read(0);
  const end = (): void => void socket.destroy();
  socket.on('readable', look).once('end', end);
  return () => socket.off('readable', look).off('end', end);
}

type Reached = (error: unknown, way: Socket | null) => void;

/** Where a call wants to go. */
interface Place {
  readonly host: string;
  readonly port: number;
}

/** As checks and webhooks connect: judged before it is connected to, and once more the address that was. */
function reach(place: Place, guard: Guard, settle: Reached): () => void {
  if (guard.tunnel !== null) return guard.tunnel(place, settle);
  let isOver = false;
  let giveUp = (): void => {
    isOver = true;
  };
  guard.resolve(place.host, 0, place.port).then(
    (addresses) => {
      if (!isOver) giveUp = connectTo(addresses, place, guard, settle);
    },
    (error: unknown) => {
      if (!isOver) settle(error, null);
    },
  );
  return () => giveUp();
}

/** Tries all addresses, as checks do. */
function connectTo(addresses: readonly string[], { host, port }: Place, guard: Guard, settle: Reached): () => void {
  const late = setTimeout(() => {
    giveUp();
    settle(connectError('ETIMEDOUT', `connect ETIMEDOUT ${host}:${port}`), null);
  }, connectMs);
  const onConnected = (result: Connected): void => {
    clearTimeout(late);
    if ('errors' in result) return settle(new AggregateError(result.errors), null);
    const { socket } = result;
    // It may have hung up at once.
    const refused = socket.remoteAddress === undefined ? null : guard.judge(socket.remoteAddress, port);
    if (socket.remoteAddress !== undefined && refused === null) return settle(null, socket.setNoDelay(true));
    socket.on('error', () => undefined).destroy();
    settle(refused === null ? connectError('ECONNRESET', 'read ECONNRESET') : refusal(refused), null);
  };
  const giveUp = connectInTurn(addresses, port, onConnected, { allowHalfOpen: true });
  return () => {
    clearTimeout(late);
    giveUp();
  };
}

function connectError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code, syscall: message.split(' ')[0] });
}

function refusal(sentence: string): Error {
  return Object.assign(new Error(sentence), { code: 'EGRESS_REFUSED' });
}

/** An error as the other side is told of it: what an error of Node.js' own has, as far as it is of use. */
function told(error: unknown): Readonly<Record<string, unknown>> {
  const all = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error];
  const message = all.map((each) => (each instanceof Error ? each.message : String(each))).join(', ');
  const { code, syscall, address, port } = (all[0] ?? {}) as Readonly<Record<string, unknown>>;
  const isRefusal = code === 'EGRESS_REFUSED';
  return {
    code: code ?? 'EGRESS_FAILED',
    message: isRefusal ? `refused by the egress policy: ${message}` : message,
    syscall,
    address,
    port,
  };
}

function endWith(socket: Socket, answer: object): void {
  if (!socket.destroyed) socket.end(`${JSON.stringify(answer)}\n`, () => socket.destroy());
}

/** The next line, without its end; null = it is too long, or does not come. What follows it stays to be read. */
function readLine(socket: Socket, done: (line: string | null) => void): void {
  let held = Buffer.alloc(0);
  const end = (line: string | null): void => {
    socket.off('readable', onReadable).off('end', onEnd);
    done(line);
  };
  const onEnd = (): void => end(null);
  const onReadable = (): void => {
    for (let bytes = readFrom(socket); bytes !== null; bytes = readFrom(socket)) {
      held = Buffer.concat([held, bytes]);
      const at = held.indexOf('\n');
      if (at > mostLine || (at < 0 && held.length > mostLine)) return end(null);
      if (at < 0) continue;
      const rest = held.subarray(at + 1);
      if (rest.length > 0) socket.unshift(rest);
      return end(held.toString('utf8', 0, at));
    }
  };
  socket.on('readable', onReadable).once('end', onEnd);
  // What is there already may have been told of before anybody listened here.
  onReadable();
}

function readFrom(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null;
}
