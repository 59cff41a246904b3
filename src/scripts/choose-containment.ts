// Tries how far scripts can be kept apart on this machine, by running one that tries to look out (docs/decisions/0081).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScriptWork } from '#domain/script.ts';
import { type Containment, containments } from './containment.ts';
import { runScript } from './run-script.ts';

/** What was chosen, and why none of the stronger ones. */
export interface ChosenContainment {
  readonly containment: Containment;
  /** A sentence for each that does not work here. */
  readonly refused: readonly string[];
}

const limits = { wallClockMs: 20_000, memoryBytes: 1 << 28, processes: 32, outputBytes: 65_536, diskBytes: 1 << 20 };

/** Throws where it sees what it must not; the file exists for it to be found. */
function lookout(canary: string, parent: number): string {
  return `import { existsSync } from 'node:fs';
if (existsSync(${JSON.stringify(canary)})) throw new Error('it sees files outside');
let sees = true;
try { process.kill(${parent}, 0); } catch (error) { sees = error.code !== 'ESRCH'; }
if (sees && process.pid !== ${parent}) throw new Error('it sees processes outside');`;
}

/** The strongest that works; the last two only keep what the system gives a process, so they are not tried by looking out. */
export async function chooseContainment(nodeBinary: string, isRoot: boolean): Promise<ChosenContainment> {
  const refused: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-lookout-'));
  const canary = join(folder, 'canary');
  writeFileSync(canary, '');
  try {
    for (const containment of containments) {
      if (containment === 'user' && !isRoot) continue;
      const isOpen = containment === 'user' || containment === 'process';
      const content = isOpen ? '' : lookout(canary, process.pid);
      const work: ScriptWork = {
        runtime: { folder: import.meta.dirname, nodeBinary },
        sort: 'plain',
        files: [{ path: 'lookout.mjs', content }],
        entry: 'lookout.mjs',
        environment: {},
        hide: (text) => text,
        hidden: [],
        keeps: { screenshots: 'off', trace: 'off', video: 'off' },
        browser: null,
        limits,
      };
      const outcome = await runScript(work, new AbortController().signal, { containment, isRoot });
      if (outcome.ending === 'ended' && outcome.failedTests === 0) return { containment, refused };
      refused.push(`${containment}: ${outcome.problem ?? outcome.errors[0]?.message ?? outcome.ending}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { containment: 'process', refused };
}
