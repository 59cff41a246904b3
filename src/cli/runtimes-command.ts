// `runtimes`: lists the runtimes of this installation, installs those that are asked for, and tries them (decisions: Runtimes).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endedWords } from '#domain/checks/runtime.ts';
import { systemClock } from '#lib/clock.ts';
import { suggestion } from '#lib/nearest.ts';
import { readInstalled } from '#app/installed-runtimes.ts';
import { tryCommand } from './try-command.ts';
import { UsageError } from './usage-error.ts';

const installer = join(import.meta.dirname, '..', '..', 'tooling', 'install-runtimes.mjs');

/** @returns the exit code: 1 when a runtime could not be installed, one that is listed cannot be used, or a check would get worse */
export async function runtimesCommand(words: string[]): Promise<number> {
  if (words[0] === 'try') return tryCommand(words.slice(1));
  const { positionals } = parseArgs({ args: words, options: {}, allowPositionals: true });
  const [what = 'list', ...names] = positionals;
  if (what === 'install') return install(names);
  if (what === 'list' && names.length === 0) return list();
  const near = suggestion(what, ['list', 'install', 'try']);
  throw new UsageError(`runtimes knows list, install <name>… and try <name>, not ${what}${near}`);
}

/** In a process of its own: the same script that `npm ci` runs, under whatever Node.js there is by then. */
function install(names: readonly string[]): number {
  const { status, error } = spawnSync(process.execPath, [installer, ...names], { stdio: 'inherit' });
  if (error !== undefined) throw error;
  return status ?? 1;
}

async function list(): Promise<number> {
  const { runtimes, notInstalled, ended, problems } = await readInstalled(systemClock, new Map());
  for (const { name, stage, nodeJsVersion, dependencies, runtimeEndOfLife } of runtimes) {
    const playwright = dependencies['@playwright/test'];
    const facts = [
      stage,
      `Node.js ${nodeJsVersion}`,
      ...(playwright === undefined ? [] : [`Playwright ${playwright}`]),
      `${Object.keys(dependencies).length} packages`,
      ...(runtimeEndOfLife === null ? [] : [`until ${runtimeEndOfLife}`]),
    ];
    process.stdout.write(`${name}  ${facts.join(', ')}\n`);
  }
  for (const name of notInstalled) {
    process.stdout.write(`${name}  not installed: npm run tocsin -- runtimes install ${name}\n`);
  }
  for (const runtime of ended) process.stdout.write(`${runtime.name}  ${endedWords(runtime, systemClock.now())}\n`);
  for (const { runtime, message } of problems) process.stdout.write(`${runtime}  PROBLEM: ${message}\n`);
  return problems.length > 0 ? 1 : 0;
}
