// Runs long calculations on the main thread in slices of time: one per turn of the event loop, owners in turn.
import { FairQueue } from './fair-queue.ts';

/** Runs a calculation that yields where it may be interrupted. @param who the owner */
export type InSlices = <Answer>(who: string, work: Generator<undefined, Answer, undefined>) => Promise<Answer>;

/** @param sliceMs time after which a calculation lets others go on */
export function createTimeSlices(sliceMs = 8): InSlices {
  const waiting = new FairQueue<{ readonly who: string; readonly step: () => boolean }>();
  let isPlanned = false;
  const next = (): void => {
    const one = waiting.next();
    if (one !== undefined && !one.step()) waiting.add(one.who, one);
    isPlanned = waiting.size > 0;
    if (isPlanned) setImmediate(next);
  };
  return (who, work) =>
    new Promise((resolve, reject) => {
      /** Returns whether the calculation has ended. */
      const step = (): boolean => {
        const endsAt = performance.now() + sliceMs;
        try {
          do {
            const { done, value } = work.next();
            if (done === true) {
              resolve(value);
              return true;
            }
          } while (performance.now() < endsAt);
          return false;
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return true;
        }
      };
      waiting.add(who, { who, step });
      if (isPlanned) return;
      isPlanned = true;
      setImmediate(next);
    });
}
