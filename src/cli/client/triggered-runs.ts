// Starts runs by triggers and follows them until all have ended.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { TriggeredRunBody } from '#contract/checks/trigger.ts';
import { CommandError } from '../exits.ts';
import { concerns, followChanges } from './changes.ts';
import type { Connection } from './connect.ts';

/** What is started by one call. */
export type Target =
  | { readonly checkId: string; readonly groupId?: never }
  | { readonly groupId: number; readonly checkId?: never };

/** Runs that one call has started. */
interface Call {
  readonly target: Target;
  readonly callId: string;
  runs: readonly TriggeredRunBody[];
}

/** Runs that ended or were waited for too long. */
export interface TriggeredRuns {
  readonly runs: readonly TriggeredRunBody[];
  /** Whether time was over before all had ended. The runs continue. */
  readonly isTimedOut: boolean;
}

/** Calls that are in progress at a time. */
const atOnce = 4;
/** Interval between reads without a change, of up to `atOnce` calls, ms: it grows, and a lost event costs no more. */
const [firstPollMs, pollMs] = [200, 3000];

/**
 * Starts runs of every target and waits until all have ended.
 * @param timeoutMs longest wait after the start
 * @param onChange receives all runs, first when all are started
 * @throws {CommandError} if nothing was started, or if the server refuses
 */
export async function runTargets(
  connection: Connection,
  targets: readonly Target[],
  timeoutMs: number,
  onChange: (runs: readonly TriggeredRunBody[]) => void = () => undefined,
): Promise<TriggeredRuns> {
  const calls = await startAll(connection, targets);
  const runsNow = (): readonly TriggeredRunBody[] => calls.flatMap(({ runs }) => runs);
  const isOpen = ({ runs }: Call): boolean => runs.some(({ state }) => state === 'running');
  const read = async (call: Call): Promise<void> => {
    const now = await runsOf(connection, call);
    // A run whose check has left the group is no longer listed, and must not count as passed.
    const known = [...call.runs, ...now].map((run) => [run.id, run] as const);
    call.runs = [...new Map(known).values()];
  };
  await inBatches(calls, read);
  onChange(runsNow());
  if (runsNow().length === 0) {
    throw new CommandError('no run was started: the checks are deactivated, or are heartbeats that wait for pings');
  }
  const over = new AbortController();
  const endsAt = performance.now() + timeoutMs;
  const changed = new Set<Call>();
  let wake = (): void => undefined;
  const note = (which: readonly Call[]): void => {
    for (const call of which) changed.add(call);
    wake();
  };
  const following = followChanges(
    connection,
    {
      onConnected: () => note(calls),
      onChange: ({ results }) =>
        note(calls.filter(({ runs }) => concerns(results, new Set(runs.map(({ checkId }) => checkId))))),
      onLost: () => undefined,
    },
    over.signal,
  );
  // A failure is seen by the next wait.
  following.catch(wake);
  try {
    for (let turn = 0; calls.some(isOpen); turn++) {
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0) return { runs: runsNow(), isTimedOut: true };
      const isWoken = new Promise<void>((resolve) => (wake = resolve));
      const hasNone = changed.size === 0;
      if (hasNone) await Promise.race([isWoken, delay(Math.min(firstPollMs * 2 ** turn, pollMs, leftMs)), following]);
      const open = calls.filter(isOpen);
      const due = changed.size > 0 ? open.filter((call) => changed.has(call)) : rotated(open, turn).slice(0, atOnce);
      changed.clear();
      await inBatches(due, read);
      onChange(runsNow());
    }
    return { runs: runsNow(), isTimedOut: false };
  } finally {
    over.abort();
    await following.catch(() => undefined);
  }
}

/** Starts all targets. If one cannot be started, the error says how many were. */
async function startAll(connection: Connection, targets: readonly Target[]): Promise<readonly Call[]> {
  const calls: Call[] = [];
  for (let from = 0; from < targets.length; from += atOnce) {
    const begun = targets.slice(from, from + atOnce).map((target) => start(connection, target));
    const settled = await Promise.allSettled(begun);
    calls.push(...settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])));
    const failed = settled.find((each) => each.status === 'rejected');
    if (failed === undefined) continue;
    if (calls.length === 0 || !(failed.reason instanceof Error)) throw failed.reason;
    throw new CommandError(`${failed.reason.message} ${calls.length} of ${targets.length} were started and continue.`);
  }
  return calls;
}

async function start({ client }: Connection, target: Target): Promise<Call> {
  // A repeated request must not start the checks twice.
  const headers = { 'idempotency-key': randomUUID() };
  const { headers: said } =
    target.checkId === undefined
      ? await client.callWithHeaders('createGroupTrigger', { params: { groupId: target.groupId }, headers })
      : await client.callWithHeaders('createCheckTrigger', { params: { checkId: target.checkId }, headers });
  return { target, callId: said.get('x-service-call-id') ?? '', runs: [] };
}

async function runsOf({ client }: Connection, { target, callId }: Call): Promise<readonly TriggeredRunBody[]> {
  const runs: TriggeredRunBody[] = [];
  if (callId === '') return runs;
  for (let page = 1; ; page++) {
    const query = { callId, limit: 100, page };
    const { items, total } =
      target.checkId === undefined
        ? await client.page('listGroupTriggerRuns', { params: { groupId: target.groupId }, query })
        : await client.page('listCheckTriggerRuns', { params: { checkId: target.checkId }, query });
    runs.push(...items);
    if (items.length === 0 || runs.length >= total) return runs;
  }
}

async function inBatches<Item, Answer>(
  items: readonly Item[],
  work: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let from = 0; from < items.length; from += atOnce) {
    answers.push(...(await Promise.all(items.slice(from, from + atOnce).map(work))));
  }
  return answers;
}

function rotated<Item>(items: readonly Item[], turn: number): readonly Item[] {
  const from = items.length === 0 ? 0 : (turn * atOnce) % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}

/** Whether a run is no reason to stop a deployment. */
export function isGood({ outcome }: TriggeredRunBody): boolean {
  return outcome === 'passed' || outcome === 'degraded';
}
