// The service as `npm start` starts it, in a process of its own, on a database on the real disk.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundled } from '../../tooling/bundle.ts';
import { bootstrapKey, secretKeyText } from './seed.ts';

/** Code that can be started: a folder with its packages, and what a start of it is told beside everything else. */
export interface Program {
  readonly folder: string;
}

/** How the service is started. */
export interface ServiceOptions {
  readonly dataDir: string;
  /** Where to write CPU profiles when it stops. */
  readonly profileFolder?: string | null;
  readonly environment?: Readonly<Record<string, string>>;
  /** How long a call waits for its answer, ms; for ever when not told. */
  readonly maxCallMs?: number;
  /** Told the number of the process, before anything is known of how it starts. */
  readonly onSpawned?: (pid: number) => void;
  /** That of this checkout when it is not told. */
  readonly program?: Program;
}

/** A running service. */
export interface Service {
  /** Its number on this machine. */
  readonly pid: number;
  /** `http://127.0.0.1:port`. */
  readonly address: string;
  /** From spawn to the first 200 of /health/ready, ms. */
  readonly readyAfterMs: number;
  /** CPU time of all its threads so far, seconds. */
  cpuSeconds(): number;
  /** Resident memory now, MB. */
  residentMb(): number;
  /** What it wrote to stderr and its log lines so far. */
  output(): string;
  /** Ends it as an operator would. */
  stop(): Promise<void>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Stands still (SIGSTOP), and goes on (SIGCONT). */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** A request with the first key; JSON in, JSON out. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: unknown; headers: Headers }>;
}

/** The code of this checkout. */
export const presentProgram: Program = { folder: fileURLToPath(new URL('../..', import.meta.url)) };
const readyWithinMs = 60_000;

/** What every process of a bench is told. */
export function serviceEnvironment(dataDir: string): Record<string, string> {
  return {
    PORT: '0',
    LOG_LEVEL: 'warn',
    TOCSIN_DATA_DIR: dataDir,
    TOCSIN_SECRET_KEY: secretKeyText,
    TOCSIN_BOOTSTRAP_API_KEY: bootstrapKey,
    TOCSIN_RATE_LIMIT: '0',
    TOCSIN_ACCOUNT_LIMITS: 'off',
  };
}

/** Starts the service and waits until it is ready. Linux only: CPU and memory are read from /proc. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const startedAt = performance.now();
  const { dataDir, profileFolder = null, program = presentProgram } = options;
  const profile = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  // As bin/tocsin starts it.
  const main = program === presentProgram ? bundled('main') : 'dist/main.js';
  const child = spawn('sh', ['tooling/node24.sh', '--max-semi-space-size=8', ...profile, main], {
    cwd: program.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      // Where sh finds its tools; the service itself needs nothing of the environment.
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ...serviceEnvironment(dataDir),
      ...options.environment,
    },
  });
  if (child.pid !== undefined) options.onSpawned?.(child.pid);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const address = await addressOf(child, () => output);
  await untilReady(child, address, () => output);
  const readyAfterMs = performance.now() - startedAt;
  const end = (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    return exited;
  };
  return {
    pid: child.pid ?? 0,
    address,
    readyAfterMs,
    cpuSeconds: () => cpuSecondsOf(child.pid ?? 0),
    residentMb: () => residentMbOf(child.pid ?? 0),
    output: () => output,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    signal: (signal) => void child.kill(signal),
    ended: exited,
    call: (method, path, body, headers = {}) =>
      call(`${address}${path}`, { method, body, headers, maxMs: options.maxCallMs ?? null }),
  };
}

async function addressOf(child: ChildProcess, output: () => string): Promise<string> {
  const until = performance.now() + readyWithinMs;
  while (performance.now() < until && isRunning(child)) {
    const found = /listens on (http:\/\/\S+)/.exec(output())?.[1];
    if (found !== undefined) return found;
    await pause(2);
  }
  throw new Error(`the service did not start: ${output()}`);
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

async function untilReady(child: ChildProcess, address: string, output: () => string): Promise<void> {
  const until = performance.now() + readyWithinMs;
  while (performance.now() < until && isRunning(child)) {
    const isReady = await fetch(`${address}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isReady) return;
    await pause(10);
  }
  child.kill('SIGKILL');
  throw new Error(`the service did not become ready: ${output()}`);
}

interface Call {
  readonly method: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxMs: number | null;
}

async function call(url: string, { method, body, headers, maxMs }: Call) {
  const answer = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${bootstrapKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(maxMs === null ? {} : { signal: AbortSignal.timeout(maxMs) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  return { status: answer.status, headers: answer.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
}

/** utime + stime of /proc/<pid>/stat, which counts in hundredths of a second on Linux. */
function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function residentMbOf(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1024;
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
