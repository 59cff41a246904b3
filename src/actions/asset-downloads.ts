// Assets on their way out: a few at once in each process, for they are large and whoever takes them may be slow.
import type { AssetFile } from '#domain/asset.ts';
import { createLanes, type Lanes } from '#lib/lanes.ts';
import { Refusal } from './refusal.ts';

/** How many at once. */
export interface DownloadBounds {
  /** From 1. */
  readonly atOnce: number;
  /** How long a further one waits for room, ms. */
  readonly waitMs: number;
}

/** An asset that is handed out. */
export interface AssetDownload extends AssetFile {
  /** Makes room for the next one: to be called once it was handed out, or was given up. */
  readonly end: () => void;
}

/** Of each a part of a quarter of a megabyte is in memory, and what the system holds of its connection. */
const usual: DownloadBounds = { atOnce: 8, waitMs: 5000 };

/**
 * Makes what begins downloads. It refuses with `unavailable` where there is no room in time, and lets through what `open`
 * throws; the signal gives up waiting.
 */
export function createDownloads({ atOnce, waitMs }: DownloadBounds = usual) {
  const lanes = createLanes(atOnce);
  return async (open: () => Promise<AssetFile>, signal: AbortSignal): Promise<AssetDownload> => {
    const end = await enterWithin(lanes, waitMs, signal);
    if (end === null) {
      const message = `Already ${atOnce} files are downloaded from this server. Try again in a moment.`;
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

/** null = there was no room in time. Whoever has gone leaves again as soon as it is let in. */
async function enterWithin(lanes: Lanes, waitMs: number, signal: AbortSignal): Promise<(() => void) | null> {
  const entered = lanes.enter();
  let giveUp = (): void => undefined;
  const gone = new Promise<null>((resolve) => {
    giveUp = () => resolve(null);
  });
  const late = setTimeout(giveUp, waitMs);
  signal.addEventListener('abort', giveUp, { once: true });
  const leave = await Promise.race([entered, gone]);
  clearTimeout(late);
  signal.removeEventListener('abort', giveUp);
  if (leave === null) void entered.then((leaveLate) => leaveLate());
  return leave;
}
