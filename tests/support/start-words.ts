// How programs of Tocsin are started in tests: as `scripts/node24.sh` does it.

/** The command; the program and its words follow. */
export const startWords: readonly [string, ...string[]] = [
  process.execPath,
  '--import',
  new URL('../../scripts/quick-modules.ts', import.meta.url).href,
];
