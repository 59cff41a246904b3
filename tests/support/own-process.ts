// The service as a user starts it: a process of its own on a free port, with a data folder that goes when the test is over.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A test, as far as this file needs one. */
interface Cleanup {
  after(work: () => void | Promise<void>): void;
}

/** A running service. */
export interface OwnProcess {
  /** `http://127.0.0.1:port`. */
  readonly address: string;
  readonly apiKey: string;
  readonly child: ChildProcess;
  /** Of the operation's JSON answer. @throws when it is no success */
  call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const apiKey = `tsn_${'test'.repeat(10)}`;

/** The environment without what a test runner adds to it. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  return env;
}

/** Starts the service and waits until it listens. @throws with what it printed when it ends instead */
export async function startOwnProcess(t: Cleanup): Promise<OwnProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-flow-'));
  const env = { PORT: '0', HOST: '127.0.0.1', TOCSIN_DATA_DIR: folder, TOCSIN_BOOTSTRAP_API_KEY: apiKey };
  const child = spawn(process.execPath, [main], {
    env: { ...plainEnvironment(), ...env, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  t.after(async () => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  });
  const address = await addressOf(child);
  return { address, apiKey, child, call: (method, path, body) => call(address + path, method, body) };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /listens on (\S+)/.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it listened:\n${printed}`)));
  });
}

async function call(url: string, method: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
