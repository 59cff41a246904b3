// A process of the service that kills itself at a given point, possibly before it is ready.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundled } from '../../tooling/bundle.ts';
import { pause } from '../support/service.ts';
import { bootstrapKey } from '../support/seed.ts';

/** A process that will kill itself. */
export interface CrashingProcess {
  /** Epoch ms. */
  readonly startedAt: number;
  /** Resolves with the signal that ended it; null = it exited on its own or not in time. */
  endedWithin(ms: number): Promise<NodeJS.Signals | null>;
  /** POSTs with the first key once the process listens. null = no response. */
  post(path: string, body: unknown): Promise<number | null>;
  output(): string;
}

const pieceMs = 10;
const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param words arguments of Node.js */
export function startCrashing(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): CrashingProcess {
  const startedAt = Date.now();
  const child = spawn('sh', ['tooling/node24.sh', ...words, bundled('main')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...environment },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    startedAt,
    output: () => printed,
    async endedWithin(ms) {
      // Counted in short steps, so that time in which this process was suspended does not count.
      for (let waitedMs = 0; isRunning() && waitedMs < ms; waitedMs += pieceMs) await pause(pieceMs);
      if (isRunning()) child.kill('SIGKILL');
      const isLate = child.killed;
      const [, signal] = await exited;
      return isLate ? null : signal;
    },
    async post(path, body) {
      let address: string | undefined;
      while (address === undefined && isRunning()) {
        address = /listens on (http:\/\/\S+)/.exec(printed)?.[1];
        await pause(2);
      }
      if (address === undefined) return null;
      const headers = { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json' };
      return fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }).then(
        ({ status }) => status,
        () => null,
      );
    },
  };
}
