// The thread of the gateways: what goes in and out of scripts passes here, behind whatever else this machine has to do, so
// that it holds up nothing else (docs/decisions/0081, 0089).
import { chmodSync, chownSync, rmSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { openGateway } from '#egress/gateway.ts';
import { createGuard, type EgressPolicy } from '#egress/guard.ts';
import { yieldOwnThread } from './containment/yield-processor.ts';

/** What the thread is started with. */
export interface GatewaySettings {
  readonly egress: EgressPolicy;
}

/** To the thread: a gateway to open, or the number of one to close. */
export type ToGateway =
  | { readonly number: number; readonly path: string; readonly owner: number | null }
  | { readonly number: number; readonly path: null };

/** From the thread: one is open, or why it is not. */
export interface FromGateway {
  readonly number: number;
  readonly problem: string | null;
}

yieldOwnThread();
const { egress } = workerData as GatewaySettings;
const guard = createGuard(egress);
const open = new Map<number, () => void>();
const closedEarly = new Set<number>();

parentPort?.on('message', (message: ToGateway) => {
  if (message.path !== null) void openOne(message);
  else if (open.has(message.number)) closeOne(message.number);
  else closedEarly.add(message.number);
});

async function openOne({ number, path, owner }: ToGateway & { path: string; owner: number | null }): Promise<void> {
  let problem: string | null = null;
  try {
    // Left by a thread that ended unasked.
    rmSync(path, { force: true });
    open.set(number, await openGateway(path, guard));
    // Nobody but the script may come here.
    chmodSync(path, 0o600);
    if (owner !== null) chownSync(path, owner, owner);
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
    closeOne(number);
  }
  if (closedEarly.delete(number)) closeOne(number);
  parentPort?.postMessage({ number, problem } satisfies FromGateway);
}

function closeOne(number: number): void {
  open.get(number)?.();
  open.delete(number);
}
