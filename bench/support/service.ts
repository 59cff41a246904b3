// Runs the service like `npm start`, in its own process, on a database on a real disk.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundled, usualFlags } from '../../tooling/bundle.ts';
import { bootstrapKey, secretKeyText } from './seed.ts';

/** Code that can be started: a folder with its packages, and its additional environment. */
export interface Program {
  readonly folder: string;
}

/** Options of a start. */
export interface ServiceOptions {
  readonly dataDir: string;
  /** Folder for CPU profiles when it stops. */
  readonly profileFolder?: string | null;
  readonly environment?: Readonly<Record<string, string>>;
  /** Timeout of calls, ms. Default: none. */
  readonly maxCallMs?: number;
  /** Called with the process id as soon as it is known. */
  readonly onSpawned?: (pid: number) => void;
  /** Default: the code of this checkout. */
  readonly program?: Program;
}

/** A running service. */
export interface Service {
  /** Process id. */
  readonly pid: number;
  /** `http://127.0.0.1:port`. */
  readonly address: string;
  /** From spawn to the first 200 of /health/ready, ms. */
  readonly readyAfterMs: number;
  /** CPU time of all its threads so far, seconds. */
  cpuSeconds(): number;
  /** Current resident memory, MB. */
  residentMb(): number;
  /** Output on stderr and log lines so far. */
  output(): string;
  /** Stops it like an operator. */
  stop(): Promise<void>;
  /** Kills it like a power failure. */
  kill(): Promise<void>;
  /** Suspends it (SIGSTOP), and resumes it (SIGCONT). */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** Sends a request with the first key; JSON in, JSON out. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: unknown; headers: Headers }>;
}

/** Warnings and errors in the log of a service, the first few. */
export function complaintsIn(output: string, level = /"level":"(warn|error|fatal)"/): string[] {
  return output
    .split('\n')
    .filter((line) => level.test(line))
    .slice(0, 5);
}

/** Creates something through the API. @throws {Error} with the response if it is not 201 */
export async function create(
  client: Pick<Service, 'call'>,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const answer = await client.call('POST', path, body);
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body as Record<string, unknown>;
}

/** The value of a metric of the service; NaN = it is not exported. @param line its name, with labels */
export async function metricOf(client: Pick<Service, 'call'>, line: string): Promise<number> {
  const { body } = await client.call('GET', '/metrics');
  const found = String(body)
    .split('\n')
    .find((each) => each.startsWith(`${line} `));
  return Number(found?.slice(line.length) ?? Number.NaN);
}

/** The code of this checkout. */
export const presentProgram: Program = { folder: fileURLToPath(new URL('../..', import.meta.url)) };
const readyWithinMs = 60_000;

/** Environment of every process of a benchmark. */
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
  const main = program === presentProgram ? bundled('main') : 'dist/main.js';
  const child = spawn('sh', ['tooling/node24.sh', ...usualFlags, ...profile, main], {
    cwd: program.folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      // For sh to find its tools; the service itself needs no environment.
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
