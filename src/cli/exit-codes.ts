/**
 * Exit codes for scripts: 0 success · 1 failure or problem found · 2 invalid command line · 78 invalid configuration.
 */
export const exitCodes = { ok: 0, failed: 1, usage: 2, config: 78 } as const;
