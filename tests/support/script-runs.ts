// Scripts run for real, contained as well as this machine can: what tests of the runner share.
import type { ScriptLimits, ScriptOutcome, ScriptWork } from '#domain/script.ts';
import { type ChosenContainment, chooseContainment } from '#scripts/choose-containment.ts';
import { runScript } from '#scripts/run-script.ts';
import { join } from 'node:path';

const isRoot = process.getuid?.() === 0;

/** The CURRENT runtime of this checkout. */
export const currentRuntime = {
  folder: join(import.meta.dirname, '..', '..', 'runtimes', '2026.10'),
  nodeBinary: process.execPath,
};

export const roomyLimits: ScriptLimits = {
  wallClockMs: 60_000,
  memoryBytes: 512 << 20,
  processes: 64,
  outputBytes: 4 << 20,
  diskBytes: 64 << 20,
};

let chosen: Promise<ChosenContainment> | null = null;

/** How scripts are contained on this machine; tried once. */
export function containmentHere(): Promise<ChosenContainment> {
  return (chosen ??= chooseContainment(process.execPath, isRoot));
}

/** Runs a plain script in the CURRENT runtime. */
export async function runPlain(
  content: string,
  {
    limits = {},
    signal = new AbortController().signal,
    ...work
  }: Partial<Omit<ScriptWork, 'limits'>> & {
    limits?: Partial<ScriptLimits>;
    signal?: AbortSignal;
  } = {},
): Promise<ScriptOutcome> {
  const { containment } = await containmentHere();
  const files = [{ path: 'script.mjs', content }];
  return runScript(
    {
      runtime: currentRuntime,
      sort: 'plain',
      files,
      entry: 'script.mjs',
      environment: {},
      hide: (text) => text,
      hidden: [],
      keeps: { screenshots: 'on-failure', trace: 'on-failure', video: 'off' },
      browser: null,
      ...work,
      limits: { ...roomyLimits, ...limits },
    },
    signal,
    { containment, isRoot },
  );
}

/** What it printed on stdout. */
export function printed({ log }: ScriptOutcome): string {
  return log.map(({ stream, text }) => (stream === 'stdout' ? text : '')).join('');
}
