// Connects to a target: resolves it, checks the address before and after connecting, or uses the proxy.
import type { Socket } from 'node:net';
import { type Connected, connectSequentially } from '#lib/net/connect-sequentially.ts';
import type { EgressGuard } from '../../kind.ts';
import { connectFault, type Fault, proxyFault, refusal, resolveFault } from './fault.ts';

/** A target. */
export interface Endpoint {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
}

/** A connected socket, or why there is none. */
export type Reached = { readonly socket: Socket } | { readonly fault: Fault };

/** Times of the connection from `performance.now()`; 0 = not reached. */
export interface Way {
  readonly startedAt: number;
  resolvedAt: number;
  connectedAt: number;
  address: string | null;
}

/**
 * Connects to a target and records the times and the address in the hop. Calls `done` once, unless cancelled.
 *
 * @param place name of the target in messages
 * @returns a function that cancels
 */
export function reach(
  target: Endpoint,
  hop: Way,
  { guard, family }: { readonly guard: EgressGuard; readonly family: 0 | 4 | 6 },
  place: () => string,
  done: (reached: Reached) => void,
): () => void {
  let isOver = false;
  let giveUp = (): void => {};
  const fail = (fault: Fault): void => done({ fault });
  const elapsed = (): number => performance.now() - hop.startedAt;

  const onConnected = (result: Connected): void => {
    if ('errors' in result) {
      hop.address = null;
      return fail(connectFault(result.errors, place(), elapsed()));
    }
    const { socket, address, peer } = result;
    hop.connectedAt = performance.now();
    hop.address = address;
    // Check the address that was really connected to.
    const refused = guard.judge(peer, target.port);
    if (refused === null) return done({ socket });
    socket.destroy();
    fail(refusal(refused));
  };
  const onAddresses = (addresses: readonly string[]): void => {
    if (isOver) return;
    hop.resolvedAt = performance.now();
    hop.address = addresses.length === 1 ? (addresses[0] ?? null) : null;
    giveUp = connectSequentially(addresses, target.port, onConnected);
  };

  if (guard.tunnel !== undefined && guard.tunnel !== null) {
    // The proxy resolves the name, so only the connection can be timed.
    hop.resolvedAt = hop.startedAt;
    return guard.tunnel(target, (error, socket) => {
      if (socket === null) return fail(proxyFault(error));
      hop.connectedAt = performance.now();
      done({ socket });
    });
  }
  guard.resolve(target.host, target.isAddress ? 0 : family, target.port).then(onAddresses, (error: unknown) => {
    if (!isOver) fail(resolveFault(error, target.host, elapsed()));
  });
  return () => {
    isOver = true;
    giveUp();
  };
}
