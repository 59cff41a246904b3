// The real `checkly` command line, unmodified, on a running service and a project in a folder of its own.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandOutput } from './command.ts';
import { plainEnvironment } from './plain-environment.ts';

/** The packages of this checkout. */
export const modules: string = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const sample = fileURLToPath(new URL('../cli-project', import.meta.url));

/** The program. */
export const checklyProgram: string = join(modules, 'checkly/bin/run.cjs');

/** A start that loads hundreds of modules takes an eighth less CPU time. */
const roomForModules = ['--min-semi-space-size=16'];

/** A folder with a project. */
export interface CliProject {
  readonly folder: string;
  /** Starts a command of the command line there. */
  readonly start: (...words: readonly string[]) => ChildProcessWithoutNullStreams;
  /** Runs one. */
  readonly run: (...words: readonly string[]) => Promise<CommandOutput>;
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
  const start: CliProject['start'] = (...words) =>
    spawn(process.execPath, [...roomForModules, checklyProgram, ...words], { cwd: folder, env });
  return { folder, start, run: (...words) => outputOf(start(...words)) };
}

/** What a program printed, once it has ended. */
export function outputOf(child: ChildProcessWithoutNullStreams): Promise<CommandOutput> {
  let [out, err] = ['', ''];
  child.stdin.end();
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}
