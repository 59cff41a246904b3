// Connects to a target where a guard allows it: the guard judges the addresses of a name, and then the address that is
// really connected to.
import { type Socket, connect } from 'node:net';

/** Where a tunnel leads. */
export type TunnelTarget = { readonly host: string; readonly port: number };

/** Connects to a target; returns a function that cancels. Calls `done` once, unless cancelled. */
export type Tunnel = (target: TunnelTarget, done: (error: Error | null, socket: Socket | null) => void) => () => void;

/** Decides where connections may go. */
export interface ConnectionGuard {
  /**
   * Resolves a name or literal to its addresses, IPv4 first, and checks each with the port (null = any). Fails with the
   * resolver's code, or with `EGRESS_REFUSED` and a message for the user. Family 0 = both.
   */
  resolve(hostname: string, family: 0 | 4 | 6, port: number | null): Promise<readonly string[]>;
  /** Returns null if allowed, otherwise a message that says what would allow it. */
  judge(address: string, port: number | null): string | null;
  /** Connects through the configured proxy. */
  readonly tunnel?: Tunnel | null;
}

/** A connection, or why there is none: the name, every address, or the guard. */
export type Guarded =
  | { readonly socket: Socket; readonly address: string }
  | { readonly unresolved: unknown }
  | { readonly errors: readonly unknown[] }
  | { readonly refused: string; readonly address: string };

interface GuardedOptions {
  /** 0 = both. */
  readonly family?: 0 | 4 | 6;
  readonly allowHalfOpen?: true;
  /** Called before connecting, with the addresses of the target. */
  readonly onAddresses?: (addresses: readonly string[]) => void;
}

/** Connects without the proxy; returns a function that cancels. Calls `done` once, unless cancelled. */
export function connectGuarded(
  { host, port }: TunnelTarget,
  guard: ConnectionGuard,
  done: (result: Guarded) => void,
  { family = 0, onAddresses, ...options }: GuardedOptions = {},
): () => void {
  let isOver = false;
  let giveUp = (): void => {};
  const connectTo = (addresses: readonly string[]): void => {
    if (isOver) return;
    onAddresses?.(addresses);
    const settle: Parameters<typeof connectSequentially>[2] = (result) => {
      if ('errors' in result) return done(result);
      const { socket, address, peer } = result;
      const refused = guard.judge(peer, port);
      if (refused === null) return done({ socket, address });
      socket.on('error', () => undefined).destroy();
      done({ refused, address });
    };
    giveUp = connectSequentially(addresses, port, settle, options);
  };
  const fail = (unresolved: unknown): void => {
    if (!isOver) done({ unresolved });
  };
  guard.resolve(host, family, port).then(connectTo, fail);
  return () => {
    isOver = true;
    giveUp();
  };
}

/** Connects through the proxy of the guard, or without it if there is none. */
export function tunnelOf(guard: ConnectionGuard, options?: GuardedOptions): Tunnel {
  if (guard.tunnel !== undefined && guard.tunnel !== null) return guard.tunnel;
  return (target, done) =>
    connectGuarded(
      target,
      guard,
      (result) => {
        if ('socket' in result) done(null, result.socket);
        else if ('errors' in result) done(new AggregateError(result.errors), null);
        else if ('refused' in result) done(refusalOf(result.refused), null);
        else done(result.unresolved as Error, null);
      },
      options,
    );
}

function refusalOf(message: string): Error {
  return Object.assign(new Error(message), { code: 'EGRESS_REFUSED' });
}

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
type Connected = Connection | { readonly errors: readonly unknown[] };

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
