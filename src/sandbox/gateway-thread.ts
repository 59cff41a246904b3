// The gateway thread: forwards the traffic of scripts at low priority, so that it delays nothing else
// (docs/decisions/0081, 0089).
import { errorMessage } from '#lib/errors.ts';
import { chmodSync, chownSync, rmSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { openGateway, type OpenGateway } from '#egress/gateway.ts';
import { createGuard, type EgressPolicy } from '#egress/guard.ts';
import { yieldOwnThread } from './containment/yield-processor.ts';

/** Start data of the thread. */
export interface GatewaySettings {
  readonly egress: EgressPolicy;
}

/**
 * Message to the thread: opens a gateway, closes one by number, or asks whether the name servers answer. `gateway` = the
 * one whose lookups are judged, null = none.
 */
export type ToGateway =
  | { readonly number: number; readonly path: string; readonly owner: number | null }
  | { readonly number: number; readonly path: null }
  | { readonly number: number; readonly gateway: number | null };

/** Message from the thread: a gateway is open, or why not; the response to a question; or a change of the name servers. */
export type FromGateway =
  | { readonly number: number; readonly problem: string | null }
  | { readonly number: number; readonly isResolverDown: boolean }
  | { readonly isDown: boolean };

yieldOwnThread();
const { egress } = workerData as GatewaySettings;
const guard = createGuard(egress, (isDown) => parentPort?.postMessage({ isDown } satisfies FromGateway));
const open = new Map<number, OpenGateway>();
const closedEarly = new Set<number>();

parentPort?.on('message', (message: ToGateway) => {
  if ('gateway' in message) void answer(message);
  else if (message.path !== null) void openOne(message);
  else if (open.has(message.number)) closeOne(message.number);
  else closedEarly.add(message.number);
});

async function answer({ number, gateway }: { number: number; gateway: number | null }): Promise<void> {
  const isResolverDown = await (gateway === null ? guard.isResolverDown('') : open.get(gateway)?.isResolverDown());
  parentPort?.postMessage({ number, isResolverDown: isResolverDown ?? false } satisfies FromGateway);
}

async function openOne({ number, path, owner }: { number: number; path: string; owner: number | null }): Promise<void> {
  let problem: string | null = null;
  try {
    // A thread that died may have left it.
    rmSync(path, { force: true });
    open.set(number, await openGateway(path, guard));
    // Only the script may connect.
    chmodSync(path, 0o600);
    if (owner !== null) chownSync(path, owner, owner);
  } catch (error) {
    problem = errorMessage(error);
    closeOne(number);
  }
  if (closedEarly.delete(number)) closeOne(number);
  parentPort?.postMessage({ number, problem } satisfies FromGateway);
}

function closeOne(number: number): void {
  open.get(number)?.close();
  open.delete(number);
}
