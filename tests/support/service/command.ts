// `npm run tocsin -- …` as a process of its own.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { bundled } from '../../../tooling/bundle.ts';
import { plainEnvironment } from './plain-environment.ts';

const entry = bundled('tocsin');

/** What a command said, and how it ended. */
export interface CommandOutput {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A running command. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandOutput>;
}

/** @param cwd where it is run; that of this process unless told otherwise */
export function startCommand(words: readonly string[], environment: NodeJS.ProcessEnv = {}, cwd?: string): Running {
  return saidBy(spawn(process.execPath, [entry, ...words], { env: { ...plainEnvironment(), ...environment }, cwd }));
}

function saidBy(child: ChildProcessWithoutNullStreams): Running {
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<CommandOutput>((resolve) => child.once('close', (code) => resolve({ code, out, err })));
  return { child, ended };
}

/** Runs a command to its end. */
export function runCommand(
  words: readonly string[],
  environment: NodeJS.ProcessEnv = {},
  cwd?: string,
): Promise<CommandOutput> {
  return startCommand(words, environment, cwd).ended;
}

/** Lines of a page as if they were pasted into a shell, in a folder in the place of the checkout. */
export async function paste(
  lines: string,
  folder: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<CommandOutput> {
  const command = [process.execPath, entry].map((word) => `"${word}"`).join(' ');
  const npm = `npm() { shift 3; ${command} "$@"; }\ntocsin() { ${command} "$@"; }`;
  const child = spawn('sh', ['-ec', `${npm}\n${lines}`], {
    cwd: folder,
    env: { ...plainEnvironment(), ...environment },
  });
  return saidBy(child).ended;
}
