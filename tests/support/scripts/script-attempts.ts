// Runs scripts that try to get out and print what came of each try as a line of JSON, and reads what they print.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptOutcome } from '#domain/checks/script.ts';
import { printed, runPlain } from './script-runs.ts';

/** One try to get somewhere. */
export interface Attempt {
  readonly way: string;
  readonly host: string;
  /** What it says that it reached; '' = nothing. */
  readonly got: string;
  readonly code: string;
  readonly message: string;
}

/** What a script printed of its tries. */
export interface Attempted<One extends Attempt = Attempt> {
  /** Why the script did not finish; '' = it did. */
  readonly problem: string;
  readonly attempts: readonly One[];
}

const waysOut = readFileSync(join(import.meta.dirname, 'ways-out.mjs'), 'utf8');

/** @param path of the script, which finds `ways-out.mjs` beside itself. @param targets what TARGETS tells it, as JSON */
export async function runAttempts<One extends Attempt = Attempt>(
  path: string,
  targets: object,
  deps: Parameters<typeof runPlain>[1],
): Promise<Attempted<One> & { readonly outcome: ScriptOutcome }> {
  const outcome = await runPlain('', {
    ...deps,
    files: [
      { path: 'script.mjs', content: readFileSync(path, 'utf8') },
      { path: 'ways-out.mjs', content: waysOut },
    ],
    environment: { TARGETS: JSON.stringify(targets) },
  });
  const isWell = outcome.ending === 'ended' && outcome.failedTests === 0;
  return {
    outcome,
    problem: isWell ? '' : JSON.stringify({ ...outcome, log: outcome.log.slice(-3) }),
    attempts: printed(outcome)
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as One),
  };
}
