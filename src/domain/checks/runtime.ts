// Runtimes: the environments checks run in, and the rules of their life (spec §2.1, decisions: Runtimes).

export const runtimeStages = ['ALPHA', 'BETA', 'CURRENT', 'STABLE', 'DEPRECATED', 'REMOVED'] as const;
export type RuntimeStage = (typeof runtimeStages)[number];

/** An installed runtime: everything but the manifest's words is read from what is really there. */
export interface Runtime {
  /** `YYYY.MM`. */
  readonly name: string;
  readonly stage: RuntimeStage;
  readonly multiStepSupport: boolean;
  /** As the binary says, with its leading `v`. */
  readonly nodeJsVersion: string;
  /** Package → installed version. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** `MM/DD/YYYY`; null = no end is planned. */
  readonly runtimeEndOfLife: string | null;
  readonly description: string | null;
}

/** What of a runtime says how long it lives. */
export type RuntimeLife = Pick<Runtime, 'name' | 'stage' | 'runtimeEndOfLife'>;

/** First instant (epoch ms) of the UTC day of a runtime's end of life; null = no end is planned. */
export function endOfLifeAt({ runtimeEndOfLife }: Pick<Runtime, 'runtimeEndOfLife'>): number | null {
  if (runtimeEndOfLife === null) return null;
  const [month, day, year] = runtimeEndOfLife.split('/').map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day ?? 1);
}

/** The stage that holds at `now` (epoch ms): on the UTC day of its end of life a runtime acts as REMOVED. */
export function stageAt(runtime: Pick<Runtime, 'stage' | 'runtimeEndOfLife'>, now: number): RuntimeStage {
  const endsAt = endOfLifeAt(runtime);
  return endsAt !== null && now >= endsAt ? 'REMOVED' : runtime.stage;
}

/** Whether a stage may follow another: one way, and staying is allowed. */
export function mayFollow(last: RuntimeStage, next: RuntimeStage): boolean {
  return runtimeStages.indexOf(next) >= runtimeStages.indexOf(last);
}

/** That a runtime has ended at `now` (epoch ms), or is REMOVED by its stage, in words; its name stands before them. */
export function endedWords({ runtimeEndOfLife }: Pick<Runtime, 'runtimeEndOfLife'>, now: number): string {
  const endsAt = endOfLifeAt({ runtimeEndOfLife });
  return endsAt !== null && now >= endsAt ? `ended on ${runtimeEndOfLife}` : 'is removed';
}

/** How long before its end the users of a runtime are told, ms (decisions: Runtimes). */
export const toldBeforeMs = 30 * 86_400_000;

/** Whether a runtime ends so soon that its users are told. */
export function endsSoon(runtime: Pick<Runtime, 'runtimeEndOfLife'>, now: number): boolean {
  const endsAt = endOfLifeAt(runtime);
  return endsAt !== null && now >= endsAt - toldBeforeMs;
}

/** What a check says about the runtime it wants; the names are null where nothing is said. */
export interface WantedRuntime {
  readonly check: string | null;
  readonly group: string | null;
  readonly account: string | null;
  /** Go on with the account's default when the wanted runtime is gone. */
  readonly runtimeFallback: boolean;
}

/** What a check, its group and its account name. @param group null = it is in none */
export function wantedRuntime(
  { runtimeId, runtimeFallback }: { readonly runtimeId: string | null; readonly runtimeFallback: boolean },
  group: { readonly runtimeId: string | null } | null,
  account: string | null,
): WantedRuntime {
  return { check: runtimeId, group: group?.runtimeId ?? null, account, runtimeFallback };
}

/** The runtime a check runs with, or why it has none: its runs are then `unknown`, reason `runtime`. */
export type RuntimeChoice<R extends RuntimeLife> =
  | { readonly runtime: R; readonly deprecated: boolean; readonly fellBack: boolean }
  | { readonly runtime: null; readonly message: string };

/**
 * Chooses a check's runtime: its own, else its group's, else its account's, else the CURRENT one (decisions: Runtimes).
 * With `runtimeFallback` a check whose runtime is gone goes on with its account's default, or the CURRENT one if that is gone too.
 *
 * @param installed the runtimes of this server
 * @param now epoch ms: one whose end of life has come counts as gone
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

/** What is to be said of a runtime that was chosen, a sentence each (decisions: Runtimes). */
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
