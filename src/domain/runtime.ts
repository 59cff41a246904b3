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

/** The stage that holds at `now` (epoch ms): on the UTC day of its end of life a runtime acts as REMOVED. */
export function stageAt(runtime: Pick<Runtime, 'stage' | 'runtimeEndOfLife'>, now: number): RuntimeStage {
  if (runtime.runtimeEndOfLife === null) return runtime.stage;
  const [month, day, year] = runtime.runtimeEndOfLife.split('/').map(Number);
  return now >= Date.UTC(year ?? 0, (month ?? 1) - 1, day ?? 1) ? 'REMOVED' : runtime.stage;
}

/** Whether a stage may follow another: one way, and staying is allowed. */
export function mayFollow(last: RuntimeStage, next: RuntimeStage): boolean {
  return runtimeStages.indexOf(next) >= runtimeStages.indexOf(last);
}
