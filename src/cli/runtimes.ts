// `runtimes`: lists, installs and tries runtimes.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Command } from 'commander';
import { endedWords } from '#domain/checks/runtime.ts';
import { systemClock } from '#lib/clock.ts';
import { readInstalled } from '#app/scripts/installed-runtimes.ts';
import { commandName, packageFolder } from '#lib/package-files.ts';
import { suggestion } from '#lib/nearest.ts';
import { UsageError } from './exits.ts';
import { tryCommand, type TryWords } from './try-command.ts';

const installer = join(packageFolder, 'tooling', 'install-runtimes.mjs');

/** Defines `runtimes` and its subcommands. */
export function defineRuntimes(command: Command): void {
  command.description('List, install or try runtimes. Without a subcommand, lists them.');
  command
    .command('list', { isDefault: true })
    .description('List runtimes.')
    .addHelpText('after', `\nExample:\n  ${commandName} runtimes list`)
    .allowExcessArguments()
    .action(async (_, { args: [unknown] }: Command) => {
      // The default subcommand also receives misspelled names.
      if (unknown !== undefined) {
        throw new UsageError(`unknown command '${unknown}'${suggestion(unknown, ['list', 'install', 'try'])}`);
      }
      process.exitCode = await list();
    });
  command
    .command('install')
    .description('Install the packages of runtimes.')
    .argument('[name...]', 'runtimes to install, or all; default: the CURRENT runtime')
    .addHelpText('after', `\nExample:\n  ${commandName} runtimes install 2026.04`)
    .action((names: string[]) => void (process.exitCode = install(names)));
  command
    .command('try')
    .description(
      'Run checks with scripts in their current runtime and in another one, and compare. Sends real requests; ' +
        'records nothing and sends no alerts. Exits with 1 if a check gets worse.',
    )
    .argument('<name>', 'runtime to try')
    .option('--checks <ids>', 'only these check ids, separated by commas', (text, ids: string[] | undefined) => [
      ...(ids ?? []),
      text,
    ])
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  ${commandName} runtimes try 2026.10`)
    .action(async (name: string, values: TryWords) => void (process.exitCode = await tryCommand(name, values)));
}

/** Runs the script that `npm ci` also runs, as a separate process. */
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
    process.stdout.write(`${name}  not installed: ${commandName} runtimes install ${name}\n`);
  }
  for (const runtime of ended) process.stdout.write(`${runtime.name}  ${endedWords(runtime, systemClock.now())}\n`);
  for (const { runtime, message } of problems) process.stdout.write(`${runtime}  PROBLEM: ${message}\n`);
  return problems.length > 0 ? 1 : 0;
}
