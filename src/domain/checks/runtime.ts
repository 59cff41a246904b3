// Runtimes, the environments of scripts, and their lifecycle (spec §2.1, decisions: Runtimes).

export const runtimeStages = ['ALPHA', 'BETA', 'CURRENT', 'STABLE', 'DEPRECATED', 'REMOVED'] as const;
export type RuntimeStage = (typeof runtimeStages)[number];

/** An installed runtime: the manifest, plus facts read from the installed files. */
export interface Runtime {
  /** `YYYY.MM`. */
  readonly name: string;
  readonly stage: RuntimeStage;
  readonly multiStepSupport: boolean;
  /** Version that the binary reports, with leading `v`. */
  readonly nodeJsVersion: string;
  /** Package → installed version. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** `MM/DD/YYYY`; null = no end is planned. */
  readonly runtimeEndOfLife: string | null;
  readonly description: string | null;
}

/** Fields of a runtime that determine its lifetime. */
export type RuntimeLife = Pick<Runtime, 'name' | 'stage' | 'runtimeEndOfLife'>;

/** First instant (epoch ms) of the UTC day of a runtime's end of life; null = no end is planned. */
export function endOfLifeAt({ runtimeEndOfLife }: Pick<Runtime, 'runtimeEndOfLife'>): number | null {
  if (runtimeEndOfLife === null) return null;
  const [month, day, year] = runtimeEndOfLife.split('/').map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day ?? 1);
}

/** The stage at `now` (epoch ms): a runtime counts as REMOVED from the UTC day of its end of life. */
export function stageAt(runtime: Pick<Runtime, 'stage' | 'runtimeEndOfLife'>, now: number): RuntimeStage {
  const endsAt = endOfLifeAt(runtime);
  return endsAt !== null && now >= endsAt ? 'REMOVED' : runtime.stage;
}

/** Whether a stage may follow another: forward only, or unchanged. */
export function mayFollow(last: RuntimeStage, next: RuntimeStage): boolean {
  return runtimeStages.indexOf(next) >= runtimeStages.indexOf(last);
}

/** That a runtime has ended at `now` (epoch ms) or is REMOVED, as a phrase that follows its name. */
export function endedWords({ runtimeEndOfLife }: Pick<Runtime, 'runtimeEndOfLife'>, now: number): string {
  const endsAt = endOfLifeAt({ runtimeEndOfLife });
  return endsAt !== null && now >= endsAt ? `ended on ${runtimeEndOfLife}` : 'is removed';
}

/** How long before its end users of a runtime are warned, ms (decisions: Runtimes). */
export const noticeMs = 30 * 86_400_000;

/** Whether a runtime is about to end, so that its users are warned. */
export function endsSoon(runtime: Pick<Runtime, 'runtimeEndOfLife'>, now: number): boolean {
  const endsAt = endOfLifeAt(runtime);
  return endsAt !== null && now >= endsAt - noticeMs;
}

/** Runtime settings of a check; a name is null if none is set. */
export interface WantedRuntime {
  readonly check: string | null;
  readonly group: string | null;
  readonly account: string | null;
  /** Use the account's default if the selected runtime is not available. */
  readonly runtimeFallback: boolean;
}

/** Runtime settings of a check, its group and its account. @param group null = the check has none */
export function wantedRuntime(
  { runtimeId, runtimeFallback }: { readonly runtimeId: string | null; readonly runtimeFallback: boolean },
  group: { readonly runtimeId: string | null } | null,
  account: string | null,
): WantedRuntime {
  return { check: runtimeId, group: group?.runtimeId ?? null, account, runtimeFallback };
}

/** The runtime of a check, or why it has none: its runs are then `unknown`, reason `runtime`. */
export type RuntimeChoice<R extends RuntimeLife> =
  | { readonly runtime: R; readonly deprecated: boolean; readonly fellBack: boolean }
  | { readonly runtime: null; readonly message: string };

/**
 * Selects a check's runtime: its own, otherwise its group's, otherwise its account's, otherwise the CURRENT one
 * (decisions: Runtimes). With `runtimeFallback`, a runtime that is not available is replaced by the account's default,
 * or by the CURRENT one.
 * @param installed the runtimes of this server
 * @param now epoch ms: a runtime whose end of life has come is not available
 */
export function runtimeChoice<R extends RuntimeLife>(
  wanted: WantedRuntime,
  installed: readonly R[],
  now: number,
): RuntimeChoice<R> {
  const alive = installed.filter((runtime) => stageAt(runtime, now) !== 'REMOVED');
  const named = (name: string | null): R | undefined => alive.find((runtime) => runtime.name === name);
  const current = alive.find(({ stage }) => stage === 'CURRENT');
  const name = wanted.check ?? wanted.group ?? wanted.account;
  const first = name === null ? current : named(name);
  const runtime = first ?? (wanted.runtimeFallback ? (named(wanted.account) ?? current) : undefined);
  if (runtime !== undefined)
    return { runtime, deprecated: runtime.stage === 'DEPRECATED', fellBack: first === undefined };
  if (name === null) return { runtime: null, message: 'no runtime of this server is CURRENT; choose one by name' };
  return { runtime: null, message: `runtime ${name} is not available on this server; choose another` };
}

/** Warnings about a selected runtime, a sentence each (decisions: Runtimes). */
export function runtimeWarnings(
  { check, group, account }: WantedRuntime,
  { runtime, deprecated, fellBack }: { runtime: RuntimeLife; deprecated: boolean; fellBack: boolean },
  now: number,
): string[] {
  return [
    ...(fellBack
      ? [`runtime ${check ?? group ?? account ?? ''} is not available; ${runtime.name} is used instead`]
      : []),
    ...(deprecated ? [`runtime ${runtime.name} is deprecated; choose a newer one`] : []),
    ...(endsSoon(runtime, now)
      ? [
          `runtime ${runtime.name} reaches its end of life on ${runtime.runtimeEndOfLife}; choose a newer one before then`,
        ]
      : []),
  ];
}
