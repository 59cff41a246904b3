// `runtimes try <name>`: runs existing checks in their current and another runtime and compares. Records nothing and
// sends no alerts.
import type { ProbeInput } from '#domain/checks/probe.ts';
import type { Finding, Verdict } from '#domain/results/result.ts';
import { type Runtime, runtimeChoice, wantedRuntime } from '#domain/checks/runtime.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { createLanes } from '#lib/lanes.ts';
import { readContexts } from '#store/copy/read-contexts.ts';
import type { DatabaseUrl } from '#config/variables.ts';
import { CommandError } from './exits.ts';
import { foreseen, opened } from './move-sides.ts';
import { createProgress, type Screen } from './progress.ts';
import { oneLine } from './terminal-text.ts';

/** Options of `runtimes try`. */
export interface TryOrder {
  readonly database: DatabaseUrl;
  /** Secret key of the database, 32 bytes. */
  readonly secretKey: Uint8Array;
  /** The runtime to try; must be installed. */
  readonly runtime: string;
  /** Ids of the checks to try; null = all activated checks with scripts. */
  readonly checks: readonly string[] | null;
}

export interface TryDeps {
  readonly installed: readonly Runtime[];
  readonly inputOf: (context: CheckContext) => ProbeInput;
  /** Whether a check has scripts. */
  readonly isScripted: (context: CheckContext) => boolean;
  /** Probes a target once; never rejects. */
  readonly probe: (input: ProbeInput) => Promise<Finding>;
  /** Maximum number of concurrent checks. */
  readonly atOnce: number;
  /** Epoch ms. */
  readonly now: () => number;
  /** Aborts the command: no further check starts. */
  readonly signal: AbortSignal;
}

/** Result of a check in one runtime. */
export interface TriedRun {
  /** null = no runtime was found. */
  readonly runtime: string | null;
  readonly verdict: Verdict;
  readonly durationMs: number;
  readonly message: string | null;
}

/** Results of a check in both runtimes. */
export interface TriedCheck {
  readonly id: string;
  readonly name: string;
  readonly present: TriedRun;
  readonly tried: TriedRun;
  readonly change: 'same' | 'worse' | 'better' | 'other';
}

/** Results of `runtimes try`. */
export interface Tried {
  readonly checks: readonly TriedCheck[];
  /** Names of skipped checks, which already use the runtime. */
  readonly already: readonly string[];
}

/** Runs each check in its current runtime and then in the other one. Throws CommandError. */
export async function tryRuntime(order: TryOrder, deps: TryDeps, screen: Screen): Promise<Tried> {
  const contexts = await foreseen(() => contextsOf(order, deps));
  const { runtime } = order;
  const already = contexts.filter((context) => presentRuntime(context, deps) === runtime);
  const left = contexts.filter((context) => !already.includes(context));
  const progress = createProgress(screen, 'checks');
  const lanes = createLanes(deps.atOnce);
  progress.begin(`running checks in ${runtime}`, left.length);
  const tried = await Promise.all(
    left.map(async (context): Promise<TriedCheck[]> => {
      const leave = await lanes.enter();
      try {
        return deps.signal.aborted ? [] : [await tryCheck(context, runtime, deps)];
      } finally {
        leave();
        progress.add(1);
      }
    }),
  );
  progress.end();
  if (deps.signal.aborted) throw new CommandError('stopped before all checks were tried');
  return { checks: tried.flat(), already: already.map(({ check }) => check.name) };
}

async function contextsOf(order: TryOrder, { isScripted }: TryDeps): Promise<CheckContext[]> {
  await using from = await opened(order.database, 'read');
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
  if (missing !== undefined) throw new CommandError(`no check with scripts has the id ${missing}`);
  return found;
}

function presentRuntime({ check, group, accountRuntimeId }: CheckContext, { installed, now }: TryDeps): string | null {
  const wanted = wantedRuntime(check, group, accountRuntimeId);
  return runtimeChoice(wanted, installed, now()).runtime?.name ?? null;
}

async function tryCheck(context: CheckContext, runtime: string, deps: TryDeps): Promise<TriedCheck> {
  const input = deps.inputOf(context);
  const { id, name } = context.check;
  const present = triedRun(presentRuntime(context, deps), await deps.probe(input));
  const check = { ...input.check, runtimeId: runtime, runtimeFallback: false };
  const tried = triedRun(runtime, await deps.probe({ ...input, check }));
  return { id, name, present, tried, change: changeOf(present, tried) };
}

function triedRun(runtime: string | null, { verdict, startedAt, stoppedAt, message }: Finding): TriedRun {
  return { runtime, verdict, durationMs: stoppedAt - startedAt, message };
}

/** Degraded counts as passed: it reflects the target's own response time. */
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

/** Formats the results as a table with a summary line. */
export function triedText({ checks, already }: Tried, runtime: string): string {
  const widths = { name: Math.min(40, Math.max(5, ...checks.map(({ name }) => name.length))) };
  const run = ({ runtime: name, verdict, durationMs }: TriedRun): string =>
    `${name ?? 'none'} ${verdict} ${(durationMs / 1000).toFixed(1)} s`.padEnd(24);
  const lines = checks.flatMap(({ name, present, tried, change }) => [
    `${words[change].padEnd(7)} ${oneLine(name).slice(0, widths.name).padEnd(widths.name)}  ${run(present)} ${run(tried)}`.trimEnd(),
    ...[present, tried].flatMap(({ runtime: where, message }) =>
      message === null ? [] : [`          ${where ?? 'none'}: ${oneLine(message)}`],
    ),
  ]);
  const count = (change: TriedCheck['change']): number => checks.filter((each) => each.change === change).length;
  const sum = [
    `${checks.length} checks compared with ${runtime}`,
    `${count('same')} same`,
    `${count('worse')} worse`,
    `${count('better')} better`,
    ...(count('other') > 0 ? [`${count('other')} fail differently`] : []),
    ...(already.length > 0 ? [`${already.length} already use it`] : []),
  ];
  return `${[...lines, ...(lines.length > 0 ? [''] : []), `${sum.join(', ')}.`].join('\n')}\n`;
}
