// Stores the files of a run once its result is durable, so that there are no files without a result
// (docs/decisions/0083).
import { errorMessage } from '#lib/errors.ts';
import type { Asset } from '#domain/results/asset.ts';
import { type EndedAttempt, isStoredInFull, type Recorded } from '#domain/results/recording.ts';

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

export interface KeepAssetsOptions {
  readonly store: AssetStore;
  /** Records an attempt; null = it was dropped. */
  readonly record: (attempt: EndedAttempt) => Promise<Recorded | null>;
  /** Called for assets that are not stored, with the reason. */
  readonly onLost: (attempt: EndedAttempt, why: string) => void;
}

/** Maximum memory for assets whose results wait for the store, bytes. */
const maxPending = 128 << 20;

/** Records an attempt and stores its assets; resolves once both is done, and rejects only if recording does. */
export function createKeepAssets({
  store,
  record,
  onLost,
}: KeepAssetsOptions): (attempt: EndedAttempt) => Promise<void> {
  let pendingBytes = 0;
  const recordAndKeep = async (attempt: EndedAttempt, assets: readonly Asset[], bytes: number): Promise<void> => {
    pendingBytes += bytes;
    try {
      const recorded = await record(attempt);
      if (recorded?.isRecorded === true) await keep(store, attempt, recorded, assets, onLost);
    } finally {
      pendingBytes -= bytes;
    }
  };
  // Not an async function: it would keep its arguments in memory until the end.
  return (given) => {
    const { assets = [], ...finding } = given.finding;
    const attempt = { ...given, finding };
    const bytes = assets.reduce((sum, { content }) => sum + content.length, 0);
    const isTooMuch = pendingBytes + bytes > maxPending;
    if (isTooMuch) onLost(attempt, `${pendingBytes} bytes of other runs are waiting for the database`);
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
  // As for exchanges: for passing results only the newest are stored.
  const keeping = isStoredInFull(attempt.outcome, change, source) ? 'with-result' : 'newest';
  try {
    await store.keep({ accountId, checkId, resultId, location }, assets, keeping);
  } catch (error) {
    // The result is recorded already; its asset list shows what is stored.
    onLost(attempt, errorMessage(error));
  }
}
