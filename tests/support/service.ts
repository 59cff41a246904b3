// The real service as a process that a test can stop, kill and start again on the same data.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plainEnvironment } from './plain-environment.ts';
import type { Cleanup } from './scripted-server.ts';
import { until } from './until.ts';

/** An answer of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** From the signal to the end. */
  readonly tookMs: number;
}

export interface Service {
  /** `http://127.0.0.1:port`; another one after a restart. */
  readonly address: string;
  readonly databasePath: string;
  /** What the present process has written to stdout and stderr. */
  readonly printed: string;
  /** An operation with the admin key; JSON in, JSON out. Never throws for a status. */
  api(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiAnswer>;
  /** The same; throws unless it succeeded. */
  must(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** SIGTERM. */
  stop(): Promise<Ended>;
  /** SIGKILL. */
  kill(): Promise<Ended>;
  /** Starts again, after `stop` or `kill`. */
  restart(): Promise<void>;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** The admin key of every service started here. */
export const apiKey = `tsn_${'flow'.repeat(10)}`;

/** Where a service runs, when not just here. */
export interface Place {
  readonly dataDir: string;
  /** The command that starts a program there; the program's own words follow. */
  readonly enter: readonly string[];
}

/** Starts the service and waits until it is ready. */
export async function startService(
  t: Cleanup,
  environment: NodeJS.ProcessEnv = {},
  place: Place = { dataDir: mkdtempSync(join(tmpdir(), 'tocsin-service-')), enter: [] },
): Promise<Service> {
  const { dataDir } = place;
  let process = await startProcess(place, environment);
  const end = async (signal: NodeJS.Signals): Promise<Ended> => {
    const startedAt = performance.now();
    if (process.child.exitCode === null && process.child.signalCode === null) process.child.kill(signal);
    await process.ended;
    const { exitCode, signalCode } = process.child;
    return { code: exitCode, signal: signalCode, tookMs: performance.now() - startedAt };
  };
  t.after(async () => {
    await end('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });
  const api: Service['api'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(process.address + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) };
  };
  return {
    get address() {
      return process.address;
    },
    databasePath: join(dataDir, 'tocsin.db'),
    get printed() {
      return process.printed();
    },
    api,
    must: async (method, path, body) => {
      const answer = await api(method, path, body);
      if (answer.status > 299)
        throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    restart: async () => {
      process = await startProcess(place, environment);
    },
  };
}

interface Process {
  readonly child: ChildProcess;
  readonly address: string;
  readonly ended: Promise<unknown>;
  printed(): string;
}

async function startProcess({ dataDir, enter }: Place, environment: NodeJS.ProcessEnv): Promise<Process> {
  const [command, ...words] = [...enter, process.execPath, main];
  const child = spawn(command, words, {
    env: {
      ...plainEnvironment(),
      HOST: '127.0.0.1',
      PORT: '0',
      TOCSIN_DATA_DIR: dataDir,
      TOCSIN_BOOTSTRAP_API_KEY: apiKey,
      TOCSIN_RATE_LIMIT: '0',
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const seen = (): string => `it printed:\n${printed}`;
  const address = await until(
    'the service to listen',
    () => {
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}; ${seen()}`);
      return /listens on (\S+)/.exec(printed)?.[1];
    },
    { seen },
  );
  await until('the service to be ready', async () => (await fetch(`${address}/health/ready`)).ok, { seen });
  return { child, address, ended, printed: () => printed };
}
