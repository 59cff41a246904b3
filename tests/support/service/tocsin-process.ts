// One process of the service: started, waited for until it is ready, ended by a signal.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { bundled, usualFlags } from '../../../tooling/bundle.ts';
import { plainEnvironment } from './plain-environment.ts';
import { until } from '../until.ts';

/** How a process ended, or several at once. */
export interface Ended {
  /** Of several: the first that is not 0. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** From the signal to the end; of several, of the last one. */
  readonly tookMs: number;
}

/** A process that is, or was, running. */
export interface TocsinProcess {
  /** `http://127.0.0.1:port`. */
  readonly address: string;
  /** What it has written to stdout and stderr. */
  readonly printed: string;
  readonly isRunning: boolean;
  readonly pid: number | undefined;
  /** Sends the signal, unless it has ended, and waits for the end. */
  readonly end: (signal: NodeJS.Signals) => Promise<Ended>;
}

/** A process whose start may still fail. */
export interface Starting {
  readonly child: ChildProcess;
  /** What it has written so far. */
  readonly printed: () => string;
  /** Settles once it is ready; rejects when it ended instead, with what it printed. */
  readonly ready: Promise<TocsinProcess>;
}

/** The entry of the service. */
export const main: string = bundled('main');

/** On a machine that does much else, ms. */
const startsWithinMs = 60_000;

/**
 * Starts a process on a free port of 127.0.0.1.
 *
 * @param enter the command that starts a program where it is to run
 * @param program the entry of another checkout
 */
export function startProcess(
  environment: NodeJS.ProcessEnv,
  enter: readonly string[] = [],
  program: string = main,
): Starting {
  const [command, ...words] = [...enter, process.execPath, ...usualFlags, program];
  const child = spawn(command, words, {
    env: {
      ...plainEnvironment(),
      HOST: '127.0.0.1',
      PORT: '0',
      TOCSIN_RATE_LIMIT: '0',
      TOCSIN_PROBE_THREADS: '1',
      // What a test does not ask for would take processors from others.
      TOCSIN_SCRIPTS_WARM: '0',
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const printed = (): string => text;
  return { child, printed, ready: becomeReady(child, ended, printed) };
}

async function becomeReady(
  child: ChildProcess,
  ended: Promise<unknown>,
  printed: () => string,
): Promise<TocsinProcess> {
  const seen = (): string => `it printed:\n${printed()}`;
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const address = await until(
    'the service to listen',
    () => {
      if (!isRunning()) throw new Error(`the service ended with ${child.exitCode}; ${seen()}`);
      return /listens on (\S+)/.exec(printed())?.[1];
    },
    { seen, withinMs: startsWithinMs },
  );
  await until('the service to be ready', async () => (await fetch(`${address}/health/ready`)).ok, {
    seen,
    withinMs: startsWithinMs,
  });
  return {
    address,
    pid: child.pid,
    get printed() {
      return printed();
    },
    get isRunning() {
      return isRunning();
    },
    async end(signal) {
      const startedAt = performance.now();
      if (isRunning()) child.kill(signal);
      await ended;
      const { exitCode, signalCode } = child;
      return { code: exitCode, signal: signalCode, tookMs: performance.now() - startedAt };
    },
  };
}
