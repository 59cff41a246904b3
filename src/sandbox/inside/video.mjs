// A video of a page from pictures that Chromium takes of it: there is no other encoder here (docs/decisions/0083).
//
// A lossy WebP picture is a key frame of VP8: a row of them, with their times, is a WebM video that every browser plays.
import { setTimeout as pause } from 'node:timers/promises';

/** Between two pictures, ms: enough to see what happened, and a small part of a processor. */
const frameMs = 250;
/** Less than what is kept of a file; after that the video stands still. */
const mostBytes = 9 << 20;
/** How long the last picture is waited for, ms; where it would be the only one, longer. */
const stopMs = 1500;
const onlyMs = 10_000;
/** Of WebP: 1 to 100. */
const quality = 45;

/** Records until the page is closed or `stop` is called, which answers with the file, or null where there was nothing to see. */
export function recordPage(page) {
  const frames = [];
  const startedAt = performance.now();
  const [stopping, over] = [new AbortController(), new AbortController()];
  const onFrame = (frame) => frames.push({ atMs: performance.now() - startedAt, frame });
  const done = record(page, onFrame, stopping.signal, over.signal);
  const end = async () => {
    stopping.abort();
    const mostMs = frames.length === 0 ? onlyMs : stopMs;
    await Promise.race([done, pause(mostMs, undefined, { signal: over.signal }).catch(() => undefined)]);
    over.abort();
    return frames.length === 0 ? null : webm(frames, performance.now() - startedAt);
  };
  let ended = null;
  const stop = () => (ended ??= end());
  const close = page.close.bind(page);
  page.close = async (options) => {
    // Of a page that is closed there are no pictures any more. One that is only asked may stay.
    if (options?.runBeforeUnload !== true) await stop().catch(() => undefined);
    return close(options);
  };
  return { stop };
}

async function record(page, onFrame, stopping, over) {
  let [session, last, bytes, waitMs] = [null, null, 0, lateMs];
  // Of the page that a new one is until it goes somewhere there is nothing to see, and no picture to be had.
  const isBlank = () => page.url() === 'about:blank';
  // A run that is quicker than its first picture has one nevertheless.
  const isWanted = () => !over.aborted && (!stopping.aborted || (last === null && !isBlank()));
  try {
    while (isWanted() && !page.isClosed() && bytes < mostBytes) {
      const signal = stopping.aborted ? over : stopping;
      const next = pause(frameMs, undefined, { signal }).catch(() => undefined);
      if (!isBlank()) {
        session ??= await page.context().newCDPSession(page);
        const frame = await picture(session, waitMs);
        // Where it is the machine that is slow, asking again and again would only have it begin again and again.
        waitMs = frame === late ? Math.min(2 * waitMs, onlyMs) : lateMs;
        if (frame === late) {
          await session.detach();
          session = null;
        } else if (frame !== null && (last === null || !frame.equals(last))) {
          // A page that stands still costs nothing.
          onFrame(frame);
          bytes += frame.length;
          last = frame;
        }
      }
      await next;
    }
    await session?.detach();
  } catch {
    // The page is gone, and with it its session.
  }
}

/** A page that goes elsewhere meanwhile never answers: it is asked anew after so many ms, or twice as many each time. */
const lateMs = 1000;
const late = Symbol('late');

/** null = there is no picture of it now. */
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

/** The frame inside a WebP file. */
function vp8Of(file) {
  for (let at = 12; at + 8 <= file.length;) {
    const length = file.readUInt32LE(at + 4);
    if (file.toString('latin1', at, at + 4) === 'VP8 ') return file.subarray(at + 8, at + 8 + length);
    at += 8 + length + (length % 2);
  }
  return null;
}

function webm(frames, durationMs) {
  const [first] = frames;
  // The size stands in the frame itself, after its tag and start code: 14 bits each.
  const [width, height] = [first.frame.readUInt16LE(6) & 0x3fff, first.frame.readUInt16LE(8) & 0x3fff];
  const last = frames.at(-1);
  const shown = durationMs - last.atMs > frameMs ? [...frames, { ...last, atMs: durationMs }] : frames;
  const info = element(0x1549a966, [
    unsigned(0x2ad7b1, 1_000_000),
    float(0x4489, durationMs),
    text(0x4d80, 'tocsin'),
    text(0x5741, 'tocsin'),
  ]);
  const size = element(0xe0, [unsigned(0xb0, width), unsigned(0xba, height)]);
  const track = element(0xae, [unsigned(0xd7, 1), unsigned(0x73c5, 1), unsigned(0x83, 1), text(0x86, 'V_VP8'), size]);
  const clusters = shown.map(({ atMs, frame }) =>
    // Track 1, no time of its own, a key frame.
    element(0x1f43b675, [unsigned(0xe7, Math.round(atMs)), element(0xa3, [Buffer.from([0x81, 0, 0, 0x80]), frame])]),
  );
  return Buffer.concat([
    element(0x1a45dfa3, [
      ...[0x4286, 0x42f7].map((id) => unsigned(id, 1)),
      unsigned(0x42f2, 4),
      unsigned(0x42f3, 8),
      text(0x4282, 'webm'),
      ...[0x4287, 0x4285].map((id) => unsigned(id, 2)),
    ]),
    element(0x18538067, [info, element(0x1654ae6b, [track]), ...clusters]),
  ]);
}

/** An element of EBML: its id, how long it is, what is in it. */
function element(id, parts) {
  const content = Buffer.concat(parts);
  const length = Buffer.alloc(8);
  // Eight bytes of length, of which the first bit says that there are eight.
  length.writeBigUInt64BE((1n << 56n) | BigInt(content.length));
  return Buffer.concat([Buffer.from(hexOf(id), 'hex'), length, content]);
}

function unsigned(id, value) {
  return element(id, [Buffer.from(hexOf(value), 'hex')]);
}

function float(id, value) {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return element(id, [bytes]);
}

function text(id, value) {
  return element(id, [Buffer.from(value)]);
}

function hexOf(number) {
  const digits = number.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}
