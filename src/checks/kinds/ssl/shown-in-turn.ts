// Servers that show different certificates in turn, one per node: the one that expires soon counts in every run, so that the
// state of the check does not alternate with them.
import type { CertificatePath } from '#lib/net/tls-trust.ts';
import { createRecent } from '#lib/recent.ts';

/** Finds a certificate that expires soon beside the one shown first; null = there is none. */
export type FindSoon = (
  /** What is remembered for: a revision of a check, and where it looks. */
  key: string,
  shown: CertificatePath,
  isSoon: (path: CertificatePath) => boolean,
  /** Connects once more; null = that failed. */
  again: () => Promise<CertificatePath | null>,
) => Promise<CertificatePath | null>;

interface Known {
  /** Seen last and expiring soon; null = none. */
  readonly soon: CertificatePath | null;
  /** Runs in a row that did not see it. */
  readonly missed: number;
  /** It came back after another one was shown. */
  readonly hasReturned: boolean;
}

/** Checks that are remembered; of others each is looked at as after a start. */
const rememberedMost = 20_000;
/** Further connections of a run whose first one did not show what earlier runs have seen; after a start one is enough. */
const mostAgain = 5;
/** Runs that must miss a certificate which had returned before. */
const mostMissed = 4;

export function createFindSoon(): FindSoon {
  const memory = createRecent<Known>({ most: rememberedMost, sizeOf: () => 1 });
  return async (key, shown, isSoon, again) => {
    const known = memory.get(key);
    const saw = (soon: CertificatePath, isTurn: boolean): void => {
      const hasReturned = isTurn || known?.hasReturned === true || (known?.missed ?? 0) > 0;
      memory.set(key, { soon, missed: 0, hasReturned });
    };
    if (isSoon(shown)) {
      saw(shown, false);
      return null;
    }
    if (known?.soon === null) return null;
    for (let left = known === undefined ? 1 : mostAgain; left > 0; left--) {
      const other = await again();
      if (other === null) break;
      if (!isSoon(other)) continue;
      saw(other, true);
      return other;
    }
    const missed = (known?.missed ?? 0) + 1;
    const isKept = known?.hasReturned === true && missed < mostMissed;
    memory.set(key, isKept ? { ...known, missed } : { soon: null, missed: 0, hasReturned: false });
    return isKept ? known.soon : null;
  };
}
