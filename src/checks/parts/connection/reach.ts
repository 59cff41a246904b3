// Connects to a target: resolves it, checks the address before and after connecting, or uses the proxy.
import type { Socket } from 'node:net';
import { connectGuarded, type Guarded } from '#lib/net/guarded.ts';
import { hostAndPort } from '#lib/net/host-and-port.ts';
import type { EgressGuard } from '../../kind.ts';
import {
  connectFault,
  type Fault,
  type Phase,
  proxyFault,
  refusal,
  resolveFault,
  stopped,
  streamFault,
  timeoutFault,
} from './fault.ts';

export interface Endpoint {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
}

/** A connected socket, or why there is none. */
export type Reached = { readonly socket: Socket } | { readonly fault: Fault };

/** One connection. Times are from `performance.now()`; 0 = not reached. */
export interface Attempt {
  readonly startedAt: number;
  resolvedAt: number;
  connectedAt: number;
  endedAt: number;
  address: string | null;
  fault: Fault | null;
}

/** An attempt that begins now. */
export function emptyAttempt(): Attempt {
  return { startedAt: performance.now(), resolvedAt: 0, connectedAt: 0, endedAt: 0, address: null, fault: null };
}

/** How long a probe may take, and what stops it. */
interface Limit {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Calls `onLate` at the limit and `onAbort` if the signal aborts from now on. Returns a function that ends both. */
export function withinLimit({ limitMs, signal }: Limit, onLate: () => void, onAbort: () => void): () => void {
  const timer = setTimeout(onLate, limitMs);
  signal.addEventListener('abort', onAbort, { once: true });
  return () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  };
}

/** A target, and how to connect to it. */
interface AttemptOptions extends Limit {
  readonly place: Endpoint;
  readonly guard: EgressGuard;
  readonly family: 0 | 4 | 6;
}

/**
 * Connects to a target within a time limit and uses the connection. Never rejects; failures are in `fault`.
 *
 * @param seen what is recorded, and returned at the end
 * @param phaseOf the phase that it has reached
 * @param begin uses the socket, and returns a function that closes the connection; it must call `finish` or `fail`
 * @param onLimit returns the fault of an attempt at its time limit; null = none
 */
export function attempt<Seen extends Attempt>(
  seen: Seen,
  { place, guard, family, limitMs, signal }: AttemptOptions,
  phaseOf: (seen: Seen) => Phase,
  begin: (socket: Socket, finish: (fault: Fault | null) => void, fail: (error: unknown) => void) => () => void,
  onLimit: (fault: Fault) => Fault | null = (fault) => fault,
): Promise<Seen> {
  const { promise, resolve } = Promise.withResolvers<Seen>();
  let giveUp = (): void => {};
  const where = (): string => hostAndPort(seen.address ?? place.host, place.port);
  const finish = (fault: Fault | null): void => {
    if (seen.endedAt > 0) return;
    seen.endedAt = performance.now();
    seen.fault = fault;
    release();
    giveUp();
    resolve(seen);
  };
  const fail = (error: unknown): void =>
    finish(streamFault(error, where(), phaseOf(seen), performance.now() - seen.startedAt));
  const release = withinLimit(
    { limitMs, signal },
    () => finish(onLimit(timeoutFault(limitMs, phaseOf(seen), where()))),
    () => finish(stopped),
  );
  if (signal.aborted) finish(stopped);
  const stop = reach(place, seen, { guard, family }, where, (reached) => {
    if ('fault' in reached) return finish(reached.fault);
    giveUp = () => reached.socket.destroy();
    giveUp = begin(reached.socket, finish, fail);
  });
  // An immediate failure has already ended the attempt; an immediate connection is impossible.
  if (seen.endedAt === 0) giveUp = stop;
  else stop();
  return promise;
}

/** Durations of the name lookup and of the connection, ms. An unfinished one lasts until the end. */
export function connectionPhases({ startedAt, resolvedAt, connectedAt, endedAt }: Attempt) {
  const resolved = resolvedAt || endedAt;
  return { dns: resolved - startedAt, tcp: (connectedAt || endedAt) - resolved };
}

/**
 * Connects to a target and records the times and the address in the hop. Calls `done` once, unless cancelled.
 *
 * @param place name of the target in messages
 * @returns a function that cancels
 */
export function reach(
  target: Endpoint,
  hop: Attempt,
  { guard, family }: { readonly guard: EgressGuard; readonly family: 0 | 4 | 6 },
  place: () => string,
  done: (reached: Reached) => void,
): () => void {
  const fail = (fault: Fault): void => done({ fault });
  const elapsed = (): number => performance.now() - hop.startedAt;
  if (guard.tunnel !== undefined && guard.tunnel !== null) {
    // The proxy resolves the name, so only the connection can be timed.
    hop.resolvedAt = hop.startedAt;
    return guard.tunnel(target, (error, socket) => {
      if (socket === null) return fail(proxyFault(error));
      hop.connectedAt = performance.now();
      done({ socket });
    });
  }
  const onAddresses = (addresses: readonly string[]): void => {
    hop.resolvedAt = performance.now();
    hop.address = addresses.length === 1 ? (addresses[0] ?? null) : null;
  };
  const onResult = (result: Guarded): void => {
    if ('unresolved' in result) return fail(resolveFault(result.unresolved, target.host, elapsed()));
    if ('errors' in result) {
      hop.address = null;
      return fail(connectFault(result.errors, place(), elapsed()));
    }
    hop.connectedAt = performance.now();
    hop.address = result.address;
    if ('refused' in result) fail(refusal(result.refused));
    else done({ socket: result.socket });
  };
  return connectGuarded(target, guard, onResult, { family: target.isAddress ? 0 : family, onAddresses });
}
