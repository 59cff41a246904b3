// Places in this process for work that goes on after its answer: few for one account, and a limit for all.
import { Refusal } from '../refusal.ts';

/**
 * Places of which an account takes at most `ofOne`, and all accounts `ofAll`.
 * @param what for messages: `deployments`
 */
export function createPlaces(what: string, ofOne: number, ofAll: number) {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** Takes a place; returns a function that gives it back. Refuses `too-many` or `unavailable` if there is none. */
    take(accountId: string): () => void {
      const own = taken.get(accountId) ?? 0;
      if (own >= ofOne) {
        const message = `This account has ${own} ${what} in progress. Wait until one has ended, then try again.`;
        throw new Refusal('too-many', message, { retryAfterSeconds: 5 });
      }
      if (all >= ofAll) {
        throw new Refusal('unavailable', `The server has ${all} ${what} in progress. Try again.`, {
          retryAfterSeconds: 5,
        });
      }
      taken.set(accountId, own + 1);
      all++;
      let isGiven = false;
      return () => {
        if (isGiven) return;
        isGiven = true;
        all--;
        const left = (taken.get(accountId) ?? 1) - 1;
        if (left > 0) taken.set(accountId, left);
        else taken.delete(accountId);
      };
    },
  };
}
