// A process of the service that is going to end itself: nobody waits until it is ready, because it may not live to be.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundled } from '../../tooling/bundle.ts';
import { pause } from '../support/service.ts';
import { bootstrapKey } from '../support/seed.ts';

/** A process on its way to its end. */
export interface Doomed {
  /** Epoch ms. */
  readonly startedAt: number;
  /** Resolves with the signal that ended it; null = it ended by itself, or not within the time. */
  endedWithin(ms: number): Promise<NodeJS.Signals | null>;
  /** A POST with the first key, once it listens; null = no answer came. */
  post(path: string, body: unknown): Promise<number | null>;
  output(): string;
}

const pieceMs = 10;
const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param words for Node.js itself */
export function startDoomed(words: readonly string[], environment: Readonly<Record<string, string>>): Doomed {
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
      // Counted in pieces: when all of this was stopped for a while, that while is nobody's.
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
