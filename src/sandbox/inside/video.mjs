// Records a page as video from Chromium screenshots, because no encoder is installed (docs/decisions/0083). A lossy
// WebP image is a VP8 key frame; a series of them with times is a WebM video.
import { setTimeout as pause } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Frame interval: enough to follow the page, with little CPU. */
const frameMs = 250;
/** Less than the storage limit of a file. Recording stops there. */
const maxBytes = 9 << 20;
/** Time limit for the last frame, and for the only one. */
const stopMs = 1500;
const onlyMs = 10_000;
/** WebP quality, 1 to 100. */
const quality = 45;

/** Records until the page is closed or `stop` is called, which returns the file, or null if nothing was recorded. */
export function recordPage(page) {
  const frames = [];
  const startedAt = performance.now();
  const [stopping, over] = [new AbortController(), new AbortController()];
  const onFrame = (frame) => frames.push({ atMs: performance.now() - startedAt, frame });
  const done = record(page, onFrame, stopping.signal, over.signal);
  const end = async () => {
    stopping.abort();
    const maxMs = frames.length === 0 ? onlyMs : stopMs;
    await Promise.race([done, pause(maxMs, undefined, { signal: over.signal }).catch(() => undefined)]);
    over.abort();
    if (frames.length === 0) return null;
    const [last, durationMs] = [frames.at(-1), performance.now() - startedAt];
    // Few runs have a video: the others do not load what writes it.
    const { webm } = await import('./webm.mjs');
    return webm(durationMs - last.atMs > frameMs ? [...frames, { ...last, atMs: durationMs }] : frames);
  };
  let ended = null;
  const stop = () => (ended ??= end());
  const close = page.close.bind(page);
  page.close = async (options) => {
    // A closed page cannot be captured. With `runBeforeUnload` it may stay open.
    if (options?.runBeforeUnload !== true) await stop().catch(() => undefined);
    return close(options);
  };
  return { stop };
}

async function record(page, onFrame, stopping, over) {
  let [session, last, bytes, waitMs] = [null, null, 0, lateMs];
  // A new page has nothing to capture before it navigates.
  const isBlank = () => page.url() === 'about:blank';
  // Even a run shorter than its first frame gets one.
  const isWanted = () => !over.aborted && (!stopping.aborted || (last === null && !isBlank()));
  try {
    while (isWanted() && !page.isClosed() && bytes < maxBytes) {
      const signal = stopping.aborted ? over : stopping;
      const next = pause(frameMs, undefined, { signal }).catch(() => undefined);
      if (!isBlank()) {
        session ??= await page.context().newCDPSession(page);
        const frame = await picture(session, waitMs);
        // On a slow machine, repeated requests would only start over again.
        waitMs = frame === late ? Math.min(2 * waitMs, onlyMs) : lateMs;
        if (frame === late) {
          await session.detach();
          session = null;
        } else if (frame !== null && (last === null || !frame.equals(last))) {
          // An unchanged page needs no new data.
          onFrame(frame);
          bytes += frame.length;
          last = frame;
        }
      }
      await next;
    }
    await session?.detach();
  } catch {
    // The page is closed, with its session.
  }
}

/** A page that navigates never answers; retry after this time, then with backoff. */
const lateMs = 1000;
const late = Symbol('late');

/** Returns null if there is no screenshot now. */
async function picture(session, waitMs) {
  const sent = session.send('Page.captureScreenshot', { format: 'webp', quality, optimizeForSpeed: true });
  const came = await Promise.race([sent.catch((error) => error), pause(waitMs, late, { ref: false })]);
  if (came === late) return late;
  if (came instanceof Error) {
    if (/closed|detached/i.test(came.message)) throw came;
    return null;
  }
  return vp8Of(Buffer.from(came.data, 'base64'));
}

/** Extracts the frame from a WebP file. */
function vp8Of(file) {
  for (let at = 12; at + 8 <= file.length;) {
    const length = file.readUInt32LE(at + 4);
    if (file.toString('latin1', at, at + 4) === 'VP8 ') return file.subarray(at + 8, at + 8 + length);
    at += 8 + length + (length % 2);
  }
  return null;
}

/** Records a page. `stop` returns the same as that of `recordPage` and may be called repeatedly. */
export function recordRequestedVideo(page, folder) {
  const path = join(folder, `${randomBytes(16).toString('hex')}.webm`);
  const recording = recordPage(page);
  const written = Promise.withResolvers();
  let stopped = null;
  const stop = () => (stopped ??= recording.stop().then(write));
  const write = (content) => {
    try {
      if (content === null)
        throw new Error('nothing was recorded: the page did not navigate, or did not render in time');
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, content);
      written.resolve();
    } catch (error) {
      written.reject(error);
    }
    return content;
  };
  // The script may never await it.
  written.promise.catch(() => undefined);
  page.once('close', () => void stop());
  page.video = () => ({
    path: async () => path,
    async saveAs(to) {
      await written.promise;
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(path, to);
    },
    async delete() {
      await written.promise;
      rmSync(path, { force: true });
    },
  });
  return { stop };
}
