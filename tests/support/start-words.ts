// How programs of Tocsin are started in tests: as `tooling/node24.sh` does it.
import { availableParallelism } from 'node:os';

/** The command; the program and its words follow. */
export const startWords: readonly [string, ...string[]] = [
  process.execPath,
  ...(availableParallelism() < 5 ? ['--v8-pool-size=0'] : []),
  '--import',
  new URL('../../tooling/quick-modules.ts', import.meta.url).href,
];
