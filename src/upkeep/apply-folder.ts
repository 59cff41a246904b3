// Applies a folder of resource files at start and when it changes: one process at a time (docs/decisions/0150).
import type { ConfigFolderState } from '#domain/projects/config-folder.ts';
import { type Clock, isLeased } from '#lib/clock.ts';

/** What became of an attempt: a problem for people, or null; `again` = the folder changed meanwhile. */
export type FolderOutcome = { readonly problem: string | null } | 'again';

export interface ApplyFolderOptions {
  readonly store: {
    state(): Promise<ConfigFolderState | null>;
    /** false = another process was first. */
    move(before: ConfigFolderState | null, after: ConfigFolderState): Promise<boolean>;
  };
  /** What tells one content of the folder from another. */
  readonly signature: () => string;
  /** The account that it belongs to; null = there is none yet, or there are several. */
  readonly account: () => Promise<{ readonly id: string | null; readonly isAmbiguous: boolean }>;
  readonly apply: (accountId: string) => Promise<FolderOutcome>;
  readonly owner: string;
  readonly clock: Clock;
  /** Called when a problem begins, changes or ends. */
  readonly onProblem: (problem: string | null) => void;
}

/** Time between two looks at the folder, ms; longer if a look takes long, so that it costs 1 % at most. */
const lookEveryMs = 1000;
const costs = 100;
/** An unchanged folder is applied again: what was edited since is as declared, and what was removed is deleted in time. */
const againEveryMs = 3_600_000;
const leaseMs = 60_000;

const noAccount = 'The installation has several accounts: set TOCSIN_CONFIG_ACCOUNT.';

/** One tick: looks whether the folder changed, and applies it. Returns the delay until the next one, ms. */
export function createApplyFolder({
  store,
  signature,
  account,
  apply,
  owner,
  clock,
  onProblem,
}: ApplyFolderOptions): () => Promise<number> {
  let applied: { readonly signature: string; readonly at: number } | null = null;
  return async () => {
    const now = clock.now();
    const before = await store.state();
    const startedAt = performance.now();
    const seen = signature();
    const pauseMs = Math.max(lookEveryMs, (performance.now() - startedAt) * costs);
    const isSame = applied?.signature === seen && Math.abs(now - applied.at) < againEveryMs;
    const isOthers = before !== null && before.owner !== owner && isLeased(before.leasedUntil, now, leaseMs);
    if (isSame || isOthers) return pauseMs;
    const { id: accountId, isAmbiguous } = await account();
    if (accountId === null && !isAmbiguous) return pauseMs;
    const held = { owner, leasedUntil: now + leaseMs, accountId, problem: before?.problem ?? null };
    if (!(await store.move(before, held))) return pauseMs;
    const outcome = accountId === null ? { problem: noAccount } : await apply(accountId);
    if (outcome === 'again') return pauseMs;
    const { problem } = outcome;
    const isNews = problem !== (held.problem?.message ?? null);
    const since = isNews ? now : (held.problem?.since ?? now);
    await store.move(held, {
      ...held,
      leasedUntil: clock.now(),
      problem: problem === null ? null : { message: problem, since },
    });
    if (isNews) onProblem(problem);
    applied = { signature: seen, at: now };
    return pauseMs;
  };
}
