// Handles servers whose nodes have different certificates. The one that expires soonest counts in every run, so that
// the check does not alternate.
import type { CertificatePath } from '#lib/net/tls-trust.ts';
import { createRecent } from '#lib/recent.ts';

/** Returns a certificate that expires soon, other than the given one, or null. */
export type FindSoon = (
  /** Identifies the check revision and the target. */
  key: string,
  shown: CertificatePath,
  isSoon: (path: CertificatePath) => boolean,
  /** Connects again; null on failure. */
  again: () => Promise<CertificatePath | null>,
) => Promise<CertificatePath | null>;

interface Known {
  /** Most recently seen certificate that expires soon, or null. */
  readonly soon: CertificatePath | null;
  /** Consecutive runs that did not see it. */
  readonly missed: number;
  /** Whether it reappeared after another certificate was seen. */
  readonly hasReturned: boolean;
}

/** Maximum remembered checks. Others are treated like new ones. */
const maxRemembered = 20_000;
/** Extra connections if the first one does not show a certificate seen before. After a start one is enough. */
const maxRepeats = 5;
/** Runs without a certificate that had reappeared before, until it counts as removed. */
const maxMissed = 4;

export function createFindSoon(): FindSoon {
  const memory = createRecent<Known>({ max: maxRemembered, sizeOf: () => 1 });
  return async (key, shown, isSoon, again) => {
    const known = memory.get(key);
    const saw = (soon: CertificatePath, isTick: boolean): void => {
      const hasReturned = isTick || known?.hasReturned === true || (known?.missed ?? 0) > 0;
      memory.set(key, { soon, missed: 0, hasReturned });
    };
    if (isSoon(shown)) {
      saw(shown, false);
      return null;
    }
    if (known?.soon === null) return null;
    for (let left = known === undefined ? 1 : maxRepeats; left > 0; left--) {
      const other = await again();
      if (other === null) break;
      if (!isSoon(other)) continue;
      saw(other, true);
      return other;
    }
    const missed = (known?.missed ?? 0) + 1;
    const isKept = known?.hasReturned === true && missed < maxMissed;
    memory.set(key, isKept ? { ...known, missed } : { soon: null, missed: 0, hasReturned: false });
    return isKept ? known.soon : null;
  };
}
