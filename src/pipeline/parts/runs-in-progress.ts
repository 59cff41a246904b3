// Tracks the runs that a process has in progress: their number per account, and which run of a check the next one waits
// for.
import type { Run } from '#domain/checks/run.ts';

/** Runs in progress. */
export interface RunsInProgress<Attempt> {
  readonly size: number;
  has(run: Run): boolean;
  /** Number of all runs. */
  runs(): Run[];
  /** Resolves when the current runs have ended. */
  ended(): Promise<unknown>;
  /** Number of runs of an account. */
  ofAccount(accountId: string): number;
  /** Accounts with at least that many runs. */
  accountsWith(count: number): string[];
  /** The attempt that a run must wait for: runs of a check at a location are sequential. */
  before(run: Run): Promise<Attempt> | null;
  /** @param done resolves when the attempt is recorded */
  add(run: Run, attempted: Promise<Attempt>, done: Promise<unknown>): void;
  remove(run: Run): void;
}

export function createRunsInProgress<Attempt>(): RunsInProgress<Attempt> {
  const all = new Map<string, { readonly run: Run; readonly done: Promise<unknown> }>();
  const countOf = new Map<string, number>();
  const lastOf = new Map<string, Promise<Attempt>>();
  const keyOf = ({ id, attempt }: Run): string => `${id}/${attempt}`;
  const placeOf = ({ checkId, location }: Run): string => `${checkId}@${location}`;
  const ofAccount = (accountId: string): number => countOf.get(accountId) ?? 0;
  return {
    get size() {
      return all.size;
    },
    has: (run) => all.has(keyOf(run)),
    runs: () => [...all.values()].map(({ run }) => run),
    ended: () => Promise.allSettled([...all.values()].map(({ done }) => done)),
    ofAccount,
    accountsWith: (count) => [...countOf].filter(([, own]) => own >= count).map(([accountId]) => accountId),
    before: (run) => lastOf.get(placeOf(run)) ?? null,
    add(run, attempted, done) {
      const place = placeOf(run);
      const forget = (): void => {
        if (lastOf.get(place) === attempted) lastOf.delete(place);
      };
      lastOf.set(place, attempted);
      void attempted.then(forget, forget);
      all.set(keyOf(run), { run, done });
      countOf.set(run.accountId, ofAccount(run.accountId) + 1);
    },
    remove(run) {
      if (!all.delete(keyOf(run))) return;
      const count = ofAccount(run.accountId);
      if (count > 1) countOf.set(run.accountId, count - 1);
      else countOf.delete(run.accountId);
    },
  };
}
