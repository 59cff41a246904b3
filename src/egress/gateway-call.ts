// One gateway connection: a request line, a response line, then the bytes of both sides.
import { errorMessage } from '#lib/errors.ts';
import type { Socket } from 'node:net';
import { type Tunnel, tunnelOf, type TunnelTarget } from '#lib/net/guarded.ts';
import type { Guard } from './guard.ts';

export interface CallDeps {
  readonly guard: Guard;
  /** Time limit for the request line. */
  readonly askMs: number;
  /** Returns how many milliseconds this connection must wait (rate limit). */
  readonly reserveSlot: () => number;
  /** Called with the connection to the target. */
  readonly onWay: (socket: Socket) => void;
}

/** Maximum length of the request line in bytes. A host name has at most 253. */
const maxLine = 1024;
/** Time limit for the target to accept a connection. */
const connectMs = 60_000;
/** How long a silent target stays connected after the script closed its side. */
const lingerMs = 30_000;

/** Serves a connection until it ends. Never throws. All input is untrusted. */
export function serveCall(socket: Socket, { guard, askMs, reserveSlot, onWay }: CallDeps): void {
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
      refuseCall(socket, 'EGRESS_REQUEST', 'the gateway expects a host and port to connect to, or a name to look up');
      return;
    }
    const stay = watchEnd(socket);
    const begin = (): void => {
      if (asked.port === null) void lookUp(socket, asked, guard);
      else giveUp = makeWay(socket, { host: asked.host, port: asked.port }, { guard, onWay, stay });
    };
    const waitMs = reserveSlot();
    if (waitMs === 0) begin();
    else waiting = setTimeout(begin, waitMs);
  });
}

/** Sends an error and closes the connection. */
export function refuseCall(socket: Socket, code: string, message: string): void {
  endWith(socket, { error: { code, message } });
}

interface GatewayRequest {
  readonly host: string;
  /** null requests the addresses only. */
  readonly port: number | null;
  readonly family: 0 | 4 | 6;
}

/** Parses `{"connect":"shop.example","port":443}` or `{"lookup":"shop.example","family":4}`; null if invalid. */
function readRequest(line: string): GatewayRequest | null {
  let reply: unknown;
  try {
    reply = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof reply !== 'object' || reply === null) return null;
  const { connect: target, lookup, port, family } = reply as Readonly<Record<string, unknown>>;
  const host = target ?? lookup;
  if (typeof host !== 'string' || !/^[^\s\0]{1,255}$/.test(host)) return null;
  if (target === undefined) return { host, port: null, family: family === 4 || family === 6 ? family : 0 };
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535) return null;
  return { host, port, family: 0 };
}

async function lookUp(socket: Socket, { host, family }: GatewayRequest, guard: Guard): Promise<void> {
  try {
    endWith(socket, { addresses: await guard.resolve(host, family, null) });
  } catch (error) {
    endWith(socket, { error: reply(error) });
  }
}

/** Connects, confirms, and forwards bytes in both directions. @returns a function that cancels it */
function makeWay(
  socket: Socket,
  place: TunnelTarget,
  { guard, onWay, stay }: Pick<CallDeps, 'guard' | 'onWay'> & { readonly stay: () => void },
): () => void {
  let isOver = false;
  const giveUp = reach(place, guard, (error, way) => {
    isOver = true;
    if (way === null) {
      endWith(socket, { error: reply(error) });
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
    // The script's side sends an empty line when it is ready; forward nothing of the target before.
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
  // Data already sent must still arrive after the script closes its side.
  return () => {
    if (!isOver) giveUp();
  };
}

/** Ends the connection if the script closes its side before it is served. Returns a function that stops watching. */
function watchEnd(socket: Socket): () => void {
  // Consume nothing: reading zero bytes is enough to detect the end.
  const poll = (): void => void socket.read(0);
  const end = (): void => void socket.destroy();
  socket.on('readable', poll).once('end', end);
  return () => socket.off('readable', poll).off('end', end);
}

/** Connects like checks and webhooks: the guard checks the target first, then the connected address. */
function reach(place: TunnelTarget, guard: Guard, settle: Parameters<Tunnel>[1]): () => void {
  let late: NodeJS.Timeout | undefined;
  const onAddresses = (): void => {
    late = setTimeout(() => {
      giveUp();
      settle(connectError('ETIMEDOUT', `connect ETIMEDOUT ${place.host}:${place.port}`), null);
    }, connectMs);
  };
  const giveUp = tunnelOf(guard, { allowHalfOpen: true, onAddresses })(place, (error, way) => {
    clearTimeout(late);
    settle(error, way?.setNoDelay(true) ?? null);
  });
  return () => {
    clearTimeout(late);
    giveUp();
  };
}

function connectError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code, syscall: message.split(' ')[0] });
}

/** Converts an error for the script: the useful properties of Node's own errors. */
function reply(error: unknown): Readonly<Record<string, unknown>> {
  const all = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [error];
  const message = all.map(errorMessage).join(', ');
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

/** Reads the next line without its end; null if it is too long or never arrives. Leaves the rest unread. */
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
      if (at > maxLine || (at < 0 && held.length > maxLine)) return end(null);
      if (at < 0) continue;
      const rest = held.subarray(at + 1);
      if (rest.length > 0) socket.unshift(rest);
      return end(held.toString('utf8', 0, at));
    }
  };
  socket.on('readable', onReadable).once('end', onEnd);
  // Data may have arrived before the listener was added.
  onReadable();
}

function readFrom(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null;
}
