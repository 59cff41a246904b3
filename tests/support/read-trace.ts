// Traces as those see them who open them: what the Playwright of the runtime reads out of one, and the texts inside.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { currentRuntime } from './script-runs.ts';

/** What Playwright's own reader tells of a trace. */
export function readTrace(t: TestContext, trace: Buffer): { readonly actions: string; readonly requests: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-trace-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'trace.zip'), trace);
  const cli = join(currentRuntime.folder, 'node_modules', 'playwright', 'cli.js');
  const ask = (...words: string[]): string =>
    execFileSync(process.execPath, [cli, 'trace', ...words], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  ask('open', 'trace.zip');
  return { actions: ask('actions'), requests: ask('requests') };
}
