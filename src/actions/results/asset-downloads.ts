// Downloads of assets, with bounded concurrency per process because assets are large and clients may be slow. Accounts
// share the slots fairly.
import type { AssetFile } from '#domain/results/asset.ts';
import { createSharedLanes, type SharedLanes } from '#lib/shared-lanes.ts';
import { Refusal } from '../refusal.ts';

/** Maximum number of concurrent downloads. */
export interface DownloadBounds {
  /** Minimum 1. */
  readonly atOnce: number;
  /** Maximum per account while another account waits, 1 to `atOnce`. */
  readonly ofOneAccount: number;
  /** How long a download waits for a slot, ms. */
  readonly waitMs: number;
}

/** An asset that is being downloaded. */
export interface AssetDownload extends AssetFile {
  /** Frees the slot. Call it when the download ends or is aborted. */
  readonly end: () => void;
}

/** Starts downloads; see `createDownloads`. */
export type Downloads = (
  accountId: string,
  open: () => Promise<AssetFile>,
  signal: AbortSignal,
) => Promise<AssetDownload>;

/** Each holds a quarter of a megabyte in memory, plus the system's socket buffer. */
const usual: DownloadBounds = { atOnce: 8, ofOneAccount: 4, waitMs: 5000 };

/** For screenshots on result pages: a browser requests all ten of a page at once. */
export const pictureBounds: DownloadBounds = { atOnce: 16, ofOneAccount: 8, waitMs: 20_000 };

/**
 * Creates the function that starts downloads. It refuses (`unavailable`) if no slot becomes free in time, and passes on
 * errors of `open`. The signal cancels waiting.
 */
export function createDownloads({ atOnce, ofOneAccount, waitMs }: DownloadBounds = usual): Downloads {
  const lanes = createSharedLanes(atOnce, ofOneAccount);
  return async (accountId, open, signal) => {
    const end = await enterWithin(lanes, accountId, waitMs, signal);
    if (end === null) {
      const message = `Too many downloads: ${lanes.inside} are in progress on this server. Try again later.`;
      throw new Refusal('unavailable', message, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
    }
    try {
      return { ...(await open()), end };
    } catch (error) {
      end();
      throw error;
    }
  };
}

/** null = no slot became free in time, or the signal aborted. */
async function enterWithin(
  lanes: SharedLanes,
  accountId: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<(() => void) | null> {
  const waiting = new AbortController();
  const giveUp = (): void => waiting.abort();
  if (signal.aborted) giveUp();
  const late = setTimeout(giveUp, waitMs);
  signal.addEventListener('abort', giveUp, { once: true });
  const leave = await lanes.enter(accountId, waiting.signal);
  clearTimeout(late);
  signal.removeEventListener('abort', giveUp);
  return leave;
}
