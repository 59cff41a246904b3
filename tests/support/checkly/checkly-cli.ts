// The real `checkly` command line, unmodified, on a running service and a project in a folder of its own.
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandOutput } from '../service/command.ts';
import { plainEnvironment } from '../service/plain-environment.ts';

/** The packages of this checkout. */
export const modules: string = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const sample = fileURLToPath(new URL('../cli-project', import.meta.url));

/** The program. */
export const checklyProgram: string = join(modules, 'checkly/bin/run.cjs');

/** Runs several commands. */
const commandsProgram = fileURLToPath(new URL('checkly-commands.mjs', import.meta.url));

/** A start that loads hundreds of modules takes an eighth less CPU time. */
const roomForModules = ['--min-semi-space-size=16'];

/** A folder with a project. */
export interface CliProject {
  readonly folder: string;
  /** Starts a command of the command line there. */
  readonly start: (...words: readonly string[]) => ChildProcessWithoutNullStreams;
  /** Runs one. */
  readonly run: (...words: readonly string[]) => Promise<CommandOutput>;
  /** Runs several, of which at most one reads the project, one after another in one process; most takes to load it. */
  readonly runAll: (commands: readonly (readonly string[])[]) => Promise<readonly CommandOutput[]>;
}

interface Cleanup {
  after(work: () => void): void;
}

/** The service that the command line talks to. */
export interface CliTarget {
  readonly address: string;
  readonly apiKey: string;
  readonly accountId: string;
}

/** The environment of the command line: that service, no colors, and not to look for newer versions of itself. */
export function cliEnvironment({ address, apiKey, accountId }: CliTarget, home: string): NodeJS.ProcessEnv {
  return {
    ...plainEnvironment(),
    CHECKLY_ENV: 'local',
    CHECKLY_API_URL: address,
    CHECKLY_MQTT_URL: address.replace('http', 'ws'),
    CHECKLY_API_KEY: apiKey,
    CHECKLY_ACCOUNT_ID: accountId,
    CHECKLY_SKIP_NEW_VERSION_CHECK: 'true',
    CHECKLY_E2E_DISABLE_FANCY_OUTPUT: '1',
    CI: 'true',
    NO_COLOR: '1',
    NO_PROXY: '127.0.0.1',
    HOME: home,
    XDG_CONFIG_HOME: home,
  };
}

/** An empty folder that is gone after the test. */
export function emptyFolder(t: Cleanup): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-cli-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Copies the sample project into a folder of its own. */
export function startCliProject(t: Cleanup, target: CliTarget): CliProject {
  const folder = emptyFolder(t);
  cpSync(sample, folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name": "shop", "type": "module", "private": true}');
  symlinkSync(modules, join(folder, 'node_modules'));
  const env = cliEnvironment(target, folder);
  const node = (...words: readonly string[]) =>
    spawn(process.execPath, [...roomForModules, ...words], { cwd: folder, env });
  const start: CliProject['start'] = (...words) => node(checklyProgram, ...words);
  return {
    folder,
    start,
    run: (...words) => outputOf(start(...words)),
    runAll: async (commands) => {
      const { out, err } = await outputOf(node(commandsProgram, checklyProgram, JSON.stringify(commands)));
      const [outs, errs] = [out.split('\0'), err.split('\0')];
      if (outs.length !== commands.length + 1) throw new Error(`the command line ended early: ${out}\n${err}`);
      return commands.map((_, index) => {
        const [said = '', code] = (outs[index] ?? '').split('\u0001');
        return { code: Number(code), out: said, err: errs[index] ?? '' };
      });
    },
  };
}

/** What a program printed, once it has ended. */
export function outputOf(child: ChildProcessWithoutNullStreams): Promise<CommandOutput> {
  let [out, err] = ['', ''];
  child.stdin.end();
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

/** Runs commands that succeed one after another, looks for what each prints, and returns that. */
export async function assertPrints(
  project: Pick<CliProject, 'runAll'>,
  expected: readonly (readonly [command: string | readonly string[], printed: RegExp])[],
): Promise<readonly string[]> {
  const commands = expected.map(([command]) => (typeof command === 'string' ? command.split(' ') : command));
  const all = await project.runAll(commands);
  for (const [index, [, printed]] of expected.entries()) {
    const words = commands[index] ?? [];
    const { code, out, err } = all[index] ?? assert.fail();
    assert.equal(code, 0, `checkly ${words.join(' ')}\n${out}\n${err}`);
    assert.match(out, printed, words.join(' '));
  }
  return all.map(({ out }) => out);
}
