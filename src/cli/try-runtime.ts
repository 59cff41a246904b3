// `runtimes try <name>`: what existing checks would come to in another runtime, beside what they come to now, an
// upgrade without fear. Nothing is recorded and nobody is told.
import type { ProbeInput } from '#domain/checks/probe.ts';
import type { Finding, Verdict } from '#domain/results/result.ts';
import { type Runtime, runtimeChoice, wantedRuntime } from '#domain/checks/runtime.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { createLanes } from '#lib/lanes.ts';
import { readContexts } from '#store/checks/read-contexts.ts';
import { CommandError } from './command-error.ts';
import { type DatabaseAddress, foreseen, opened, openReader } from './move-sides.ts';
import { createProgress, type Screen } from './progress.ts';
import { withoutControls } from './received.ts';

/** What is asked for. */
export interface TryOrder {
  readonly database: DatabaseAddress;
  /** 32 bytes that seal the secrets there. */
  readonly secretKey: Uint8Array;
  /** The runtime to try, one of those installed. */
  readonly runtime: string;
  /** Ids of the checks to try; null = every activated one with scripts. */
  readonly checks: readonly string[] | null;
}

/** What trying needs. */
export interface TryMeans {
  readonly installed: readonly Runtime[];
  readonly inputOf: (context: CheckContext) => ProbeInput;
  /** Whether a check has scripts. */
  readonly isScripted: (context: CheckContext) => boolean;
  /** Looks at a target once; never rejects. */
  readonly probe: (input: ProbeInput) => Promise<Finding>;
  /** Checks that run at once. */
  readonly atOnce: number;
  /** Epoch ms. */
  readonly now: () => number;
  /** Ends it: no check is begun any more. */
  readonly signal: AbortSignal;
}

/** What a check came to in one runtime. */
export interface TriedRun {
  /** null = there is none for it. */
  readonly runtime: string | null;
  readonly verdict: Verdict;
  /** Of all of it, ms. */
  readonly durationMs: number;
  readonly message: string | null;
}

/** A check in both. */
export interface TriedCheck {
  readonly id: string;
  readonly name: string;
  readonly present: TriedRun;
  readonly tried: TriedRun;
  readonly change: 'same' | 'worse' | 'better' | 'other';
}

/** What trying came to. */
export interface Tried {
  readonly checks: readonly TriedCheck[];
  /** Names of checks that run in it already: they were not run. */
  readonly already: readonly string[];
}

/** Runs each check in its present runtime and in the one that is tried, one after the other. Throws CommandError. */
export async function tryRuntime(order: TryOrder, means: TryMeans, screen: Screen): Promise<Tried> {
  const contexts = await foreseen(() => contextsOf(order, means));
  const { runtime } = order;
  const already = contexts.filter((context) => presentRuntime(context, means) === runtime);
  const left = contexts.filter((context) => !already.includes(context));
  const progress = createProgress(screen, 'checks');
  const lanes = createLanes(means.atOnce);
  progress.begin(`trying ${runtime}`, left.length);
  const tried = await Promise.all(
    left.map(async (context): Promise<TriedCheck[]> => {
      const leave = await lanes.enter();
      try {
        return means.signal.aborted ? [] : [await tryCheck(context, runtime, means)];
      } finally {
        leave();
        progress.add(1);
      }
    }),
  );
  progress.end();
  if (means.signal.aborted) throw new CommandError('stopped before all checks were tried');
  return { checks: tried.flat(), already: already.map(({ check }) => check.name) };
}

async function contextsOf(order: TryOrder, { isScripted }: TryMeans): Promise<CheckContext[]> {
  await using from = await opened(openReader(order.database));
  const wanted = order.checks === null ? null : new Set(order.checks.map((id) => id.toLowerCase()));
  const found: CheckContext[] = [];
  for await (const context of readContexts(from.side, order.secretKey, ['API', 'MULTI_STEP', 'BROWSER'])) {
    const { check, group } = context;
    const isMeant = wanted === null ? check.activated && group?.activated !== false : wanted.delete(check.id);
    if (!isMeant) continue;
    if (isScripted(context)) found.push(context);
    else if (wanted !== null) throw new CommandError(`check ${check.id} ("${check.name}") has no script to try`);
  }
  const [missing] = wanted ?? [];
  if (missing !== undefined)
    throw new CommandError(
      `there is no check ${missing} with scripts here: --checks takes check ids, separated by commas`,
    );
  return found;
}

function presentRuntime({ check, group, accountRuntimeId }: CheckContext, { installed, now }: TryMeans): string | null {
  const wanted = wantedRuntime(check, group, accountRuntimeId);
  return runtimeChoice(wanted, installed, now()).runtime?.name ?? null;
}

async function tryCheck(context: CheckContext, runtime: string, means: TryMeans): Promise<TriedCheck> {
  const input = means.inputOf(context);
  const { id, name } = context.check;
  const present = triedRun(presentRuntime(context, means), await means.probe(input));
  const check = { ...input.check, runtimeId: runtime, runtimeFallback: false };
  const tried = triedRun(runtime, await means.probe({ ...input, check }));
  return { id, name, present, tried, change: changeOf(present, tried) };
}

function triedRun(runtime: string | null, { verdict, startedAt, stoppedAt, message }: Finding): TriedRun {
  return { runtime, verdict, durationMs: stoppedAt - startedAt, message };
}

/** Degraded beside passed is no worse: that is the target's own time. */
function changeOf(present: TriedRun, tried: TriedRun): TriedCheck['change'] {
  const isGood = ({ verdict }: TriedRun): boolean => verdict === 'passed' || verdict === 'degraded';
  if (isGood(present) !== isGood(tried)) return isGood(present) ? 'worse' : 'better';
  if (isGood(present)) return 'same';
  return present.message === tried.message && present.verdict === tried.verdict ? 'same' : 'other';
}

const words: Readonly<Record<TriedCheck['change'], string>> = {
  same: 'same',
  worse: 'WORSE',
  better: 'better',
  other: 'other',
};

/** The table and the sum of it, as people read them. */
export function triedText({ checks, already }: Tried, runtime: string): string {
  const widths = { name: Math.min(40, Math.max(5, ...checks.map(({ name }) => name.length))) };
  const run = ({ runtime: name, verdict, durationMs }: TriedRun): string =>
    `${name ?? 'none'} ${verdict} ${(durationMs / 1000).toFixed(1)} s`.padEnd(24);
  const lines = checks.flatMap(({ name, present, tried, change }) => [
    `${words[change].padEnd(7)} ${withoutControls(name).slice(0, widths.name).padEnd(widths.name)}  ${run(present)} ${run(tried)}`.trimEnd(),
    ...[present, tried].flatMap(({ runtime: where, message }) =>
      message === null ? [] : [`          ${where ?? 'none'}: ${withoutControls(message.replaceAll(/\s+/g, ' '))}`],
    ),
  ]);
  const count = (change: TriedCheck['change']): number => checks.filter((each) => each.change === change).length;
  const sum = [
    `${checks.length} tried in ${runtime}`,
    `${count('same')} the same`,
    `${count('worse')} worse`,
    `${count('better')} better`,
    ...(count('other') > 0 ? [`${count('other')} fail otherwise`] : []),
    ...(already.length > 0 ? [`${already.length} run in it already`] : []),
  ];
  return `${[...lines, ...(lines.length > 0 ? [''] : []), `${sum.join(', ')}.`].join('\n')}\n`;
}
