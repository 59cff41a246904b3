// Assets on their way out: a few at once in each process, for they are large and whoever takes them may be slow. No account
// takes all of the room.
import type { AssetFile } from '#domain/results/asset.ts';
import { createSharedLanes, type SharedLanes } from '#lib/shared-lanes.ts';
import { Refusal } from '../refusal.ts';

/** How many at once. */
export interface DownloadBounds {
  /** From 1. */
  readonly atOnce: number;
  /** Of one account while another waits, 1 to `atOnce`. */
  readonly ofOneAccount: number;
  /** How long a further one waits for room, ms. */
  readonly waitMs: number;
}

/** An asset that is handed out. */
export interface AssetDownload extends AssetFile {
  /** Makes room for the next one: to be called once it was handed out, or was given up. */
  readonly end: () => void;
}

/** What begins downloads; see `createDownloads`. */
export type Downloads = (
  accountId: string,
  open: () => Promise<AssetFile>,
  signal: AbortSignal,
) => Promise<AssetDownload>;

/** Of each a part of a quarter of a megabyte is in memory, and what the system holds of its connection. */
const usual: DownloadBounds = { atOnce: 8, ofOneAccount: 4, waitMs: 5000 };

/** Of screenshots that pages of results show: a browser asks for all ten of a page together. */
export const pictureBounds: DownloadBounds = { atOnce: 16, ofOneAccount: 8, waitMs: 20_000 };

/**
 * Makes what begins downloads. It refuses with `unavailable` where there is no room in time, and lets through what `open`
 * throws; the signal gives up waiting.
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

/** null = there was no room in time, or the signal came before. */
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
