// Traces as those see them who open them: what the Playwright of the runtime reads out of one, and the texts inside.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { currentRuntime } from './script-runs.ts';

/**
 * Gives Playwright's command line one command after the other in one process, because each start loads all of it. A command
 * is done when nothing is left to do; what they print is parted by \0.
 */
const several = `const [, library, commands] = process.argv;
const { program } = require(library);
const waiting = JSON.parse(commands);
process.on('beforeExit', () => {
  const words = waiting.shift();
  if (words === undefined) return;
  process.stdout.write('\\0');
  program.parse(['trace', ...words], { from: 'user' });
});`;

/** What Playwright's own reader tells of a trace. */
export function readTrace(t: TestContext, trace: Buffer): { readonly actions: string; readonly requests: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-trace-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'trace.zip'), trace);
  const library = join(currentRuntime.folder, 'node_modules', 'playwright', 'lib', 'program.js');
  const commands = JSON.stringify([['open', 'trace.zip'], ['actions'], ['requests']]);
  const words = ['-e', several, library, commands];
  const printed = execFileSync(process.execPath, words, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const [, , actions = '', requests = ''] = printed.split('\0');
  return { actions, requests };
}
