/** Exit codes that scripts can rely on: 0 done · 1 done, and something is wrong · 2 the command line is wrong · 78 the configuration is wrong. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, config: 78 } as const;
