// The runs that a process has in progress: how many of each account, and which run of a check the next one waits for.
import type { Run } from '#domain/checks/run.ts';

/** Runs in progress. */
export interface RunsUnderWay<Attempt> {
  readonly size: number;
  has(run: Run): boolean;
  /** All of them. */
  runs(): Run[];
  /** Resolves when those of now have ended. */
  ended(): Promise<unknown>;
  /** How many an account has. */
  ofAccount(accountId: string): number;
  /** Accounts that have at least so many. */
  accountsWith(count: number): string[];
  /** The attempt after which a run may begin: runs of one check at one location follow each other. */
  before(run: Run): Promise<Attempt> | null;
  /** @param done resolves when the attempt is recorded */
  add(run: Run, attempted: Promise<Attempt>, done: Promise<unknown>): void;
  remove(run: Run): void;
}

export function createRunsUnderWay<Attempt>(): RunsUnderWay<Attempt> {
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
