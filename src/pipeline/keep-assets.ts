// Beside the recording: the files that a run left are kept once its result is durable, so that none is there without it
// (docs/decisions/0083).
import type { Asset } from '#domain/results/asset.ts';
import { type EndedAttempt, isKeptInFull, type Recorded } from '#domain/results/recording.ts';

/** What this needs of the store. */
interface AssetStore {
  keep(
    owner: {
      readonly accountId: string;
      readonly checkId: string;
      readonly resultId: string;
      readonly location: string;
    },
    assets: readonly Asset[],
    keeping: 'with-result' | 'newest',
  ): Promise<void>;
}

/** What it is joined with. */
export interface KeepAssetsOptions {
  readonly store: AssetStore;
  /** Records an attempt; null = it was dropped. */
  readonly record: (attempt: EndedAttempt) => Promise<Recorded | null>;
  /** Told of assets that are not kept, and why. */
  readonly onLost: (attempt: EndedAttempt, why: string) => void;
}

/** What assets may take in memory while their results wait for the store, bytes: a few runs' worth. */
const heldMost = 128 << 20;

/** Records an attempt and keeps its assets; resolves when both is done, and rejects only where recording does. */
export function createKeepAssets({
  store,
  record,
  onLost,
}: KeepAssetsOptions): (attempt: EndedAttempt) => Promise<void> {
  let heldBytes = 0;
  const recordAndKeep = async (attempt: EndedAttempt, assets: readonly Asset[], bytes: number): Promise<void> => {
    heldBytes += bytes;
    try {
      const recorded = await record(attempt);
      if (recorded?.isRecorded === true) await keep(store, attempt, recorded, assets, onLost);
    } finally {
      heldBytes -= bytes;
    }
  };
  // Not asynchronous itself: what it was given would be held until the end, dropped or not.
  return (given) => {
    const { assets = [], ...finding } = given.finding;
    const attempt = { ...given, finding };
    const bytes = assets.reduce((sum, { content }) => sum + content.length, 0);
    const isTooMuch = heldBytes + bytes > heldMost;
    if (isTooMuch) onLost(attempt, `${heldBytes} bytes of other runs wait for the database`);
    return bytes === 0 || isTooMuch ? record(attempt).then(() => undefined) : recordAndKeep(attempt, assets, bytes);
  };
}

async function keep(
  store: AssetStore,
  attempt: EndedAttempt,
  { resultId, change }: Recorded,
  assets: readonly Asset[],
  onLost: KeepAssetsOptions['onLost'],
): Promise<void> {
  const { accountId, checkId, location, source } = attempt.run;
  // As their exchange: of the others nobody looks at but the newest.
  const keeping = isKeptInFull(attempt.outcome, change, source) ? 'with-result' : 'newest';
  try {
    await store.keep({ accountId, checkId, resultId, location }, assets, keeping);
  } catch (error) {
    // The result stands; what it says of its assets is what is there.
    onLost(attempt, error instanceof Error ? error.message : String(error));
  }
}
