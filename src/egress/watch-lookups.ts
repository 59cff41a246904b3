// Records which lookups of a script had no answer, so that a failure of our name servers is not that of the script.
import type { Guard } from './guard.ts';

/** A guard whose lookups are recorded. */
export interface WatchedLookups {
  readonly guard: Guard;
  /** Whether lookups have no answer because no name server of this machine answers. */
  readonly isResolverDown: () => Promise<boolean>;
}

/** A lookup that takes longer counts as unanswered, ms. */
const slowMs = 1000;
/** Maximum number of unanswered names to remember. */
const remembered = 3;
/** Errors that tell something about the name or our own rules. */
const answers: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EGRESS_REFUSED']);

/** Records the lookups of a guard. */
export function watchLookups(guard: Guard): WatchedLookups {
  const unanswered = new Set<string>();
  const pending = new Set<{ readonly name: string; readonly startedAt: number }>();
  const resolve: Guard['resolve'] = async (name, family, port) => {
    const lookup = { name, startedAt: performance.now() };
    pending.add(lookup);
    try {
      return await guard.resolve(name, family, port);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (!answers.has(code) && unanswered.size < remembered) unanswered.add(name);
      throw error;
    } finally {
      pending.delete(lookup);
    }
  };
  return {
    guard: { ...guard, resolve },
    async isResolverDown() {
      const now = performance.now();
      const slow = [...pending].filter(({ startedAt }) => now - startedAt >= slowMs).map(({ name }) => name);
      const names = [...unanswered, ...slow].slice(0, remembered);
      return (await Promise.all(names.map((name) => guard.isResolverDown(name)))).includes(true);
    },
  };
}
