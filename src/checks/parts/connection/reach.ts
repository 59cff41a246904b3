// From a target to a connection to it: looked up, judged before and after connecting, or made by a proxy.
import type { Socket } from 'node:net';
import { type Connected, connectInTurn } from '#lib/net/connect-in-turn.ts';
import type { EgressGuard } from '../../kind.ts';
import { connectFault, type Fault, proxyFault, refusal, resolveFault } from './fault.ts';

/** Where to connect to. */
export interface Place {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
}

/** What came of it: a connected socket, or why there is none. */
export type Reached = { readonly socket: Socket } | { readonly fault: Fault };

/** Instants of the way there, of `performance.now()`; 0 = not reached. */
export interface Way {
  readonly startedAt: number;
  resolvedAt: number;
  connectedAt: number;
  address: string | null;
}

/**
 * Connects to a target and notes in the hop when its name was resolved, where to and when it was connected. `done` is called
 * once, and not after giving up.
 *
 * @param place how a message calls the other side
 * @returns how to give up
 */
export function reach(
  target: Place,
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
    const { socket, address } = result;
    hop.connectedAt = performance.now();
    hop.address = address;
    // What was connected to is what counts, whatever was asked for.
    const refused = guard.judge(socket.remoteAddress ?? '', target.port);
    if (refused === null) return done({ socket });
    socket.destroy();
    fail(refusal(refused));
  };
  const onAddresses = (addresses: readonly string[]): void => {
    if (isOver) return;
    hop.resolvedAt = performance.now();
    hop.address = addresses.length === 1 ? (addresses[0] ?? null) : null;
    giveUp = connectInTurn(addresses, target.port, onConnected);
  };

  if (guard.tunnel !== undefined && guard.tunnel !== null) {
    // The proxy looks the name up: what there is to time is the way to the target.
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
