// Stores what browser contexts show: requested screenshots, and the final screenshots, trace and videos of each
// context, unless Playwright's runner stores them.
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { recordRequestedVideo, recordPage } from './video.mjs';
import { createKeeper } from './assets.mjs';
import { askByUs } from './open-steps.mjs';

/** Time limit for a final screenshot. */
const pictureMs = 5000;

/** Folder of videos that tests request in their settings; Playwright's runner attaches those to store. */
const videosOfRunner = /[\\/]\.playwright-artifacts-/;

/**
 * Creates a function that follows a context.
 *
 * @returns follows a context. Scripts may request videos in the form of Playwright: `{ dir }`. Returns a function to
 * call before the context is closed, possibly repeatedly
 */
export function contextFollower(home, keeps, emit, isPlain) {
  const keep = createKeeper(home, emit);
  const open = new Set();
  let traces = 0;
  const follow = async (context, requestedVideo) => {
    const path = join(home, 'tmp', `trace-${process.pid}-${++traces}.zip`);
    const stopTrace = isPlain && keeps.trace !== 'off' ? await startTrace(context, path) : null;
    const videos = [];
    const prepared = new WeakMap();
    const attend = (page) => {
      if (keeps.screenshots !== 'off') prepared.set(page, keepAsked(page, keep));
      if (requestedVideo)
        videos.push({ page, recording: recordRequestedVideo(page, requestedVideo.dir ?? join(home, 'tmp', 'videos')) });
      else if (keeps.video !== 'off') videos.push({ page, recording: recordPage(page) });
    };
    // A persistent context starts with a page.
    context.pages().forEach(attend);
    context.on('page', (page) => void askByUs(context, async () => attend(page)));
    // While the page is still empty; the script may take screenshots of handles at once.
    const newPage = context.newPage.bind(context);
    context.newPage = async (...asked) => {
      const page = await newPage(...asked);
      await prepared.get(page);
      return page;
    };
    const end = async () => {
      const pages = isPlain && keeps.screenshots !== 'off' ? context.pages() : [];
      // The browser may have ended; keep the recorded parts.
      const [isTraced] = await Promise.all([stopTrace?.().catch(() => false), ...pages.map((page) => picture(page))]);
      if (isTraced === true) keep({ sort: 'trace', name: 'trace', when: whenOf(keeps.trace), path });
      // In parallel, so that an unresponsive page does not delay the others.
      const contents = await Promise.all(videos.map(({ recording }) => recording.stop()));
      for (const [index, { page }] of videos.entries())
        if (contents[index] !== null) keepVideo(page.url(), contents[index]);
    };
    const keepVideo = (name, content) => {
      // If the check does not store videos, the script's own request applies.
      if (keeps.video !== 'off') keep({ sort: 'video', name, when: whenOf(keeps.video), content });
      else if (!videosOfRunner.test(requestedVideo.dir ?? ''))
        keep({ sort: 'video', name, when: 'always', isRequested: true, content });
    };
    let ended = null;
    const leave = () => {
      ended ??= askByUs(context, end).catch(() => undefined);
      open.delete(leave);
      return ended;
    };
    open.add(leave);
    const close = context.close.bind(context);
    context.close = async (...asked) => {
      await leave();
      return close(...asked);
    };
    return leave;
  };
  const picture = async (page) => {
    try {
      const content = await pictureOf(page);
      keep({ sort: 'screenshot', name: page.url(), when: whenOf(keeps.screenshots), content });
    } catch {
      // The page is closed or does not answer.
    }
  };
  follow.leaveAll = () => Promise.all([...open].map((leave) => leave()));
  return follow;
}

function whenOf(setting) {
  return setting === 'always' ? 'always' : 'failed';
}

/** Starts a trace. The returned function does nothing if the script starts its own, because only one trace can run. */
async function startTrace(context, path) {
  const { tracing } = context;
  let isOurs = true;
  const [start, stop] = [tracing.start.bind(tracing), tracing.stop.bind(tracing)];
  await start({ screenshots: true, snapshots: true, sources: true });
  tracing.start = async (...asked) => {
    if (isOurs) {
      isOurs = false;
      await askByUs(context, stop);
    }
    return start(...asked);
  };
  return async () => {
    if (!isOurs) return false;
    // Stop ours, so that the script can start its own.
    isOurs = false;
    await stop({ path });
    return true;
  };
}

/** Takes a screenshot through Chromium. It does not appear in traces and takes half as long as `page.screenshot`. */
async function pictureOf(page) {
  const session = await page.context().newCDPSession(page);
  const sent = session.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
  const came = await Promise.race([sent, pause(pictureMs, null, { ref: false })]);
  if (came === null) throw new Error('the page does not answer');
  return Buffer.from(came.data, 'base64');
}

/** Paths of screenshots taken by Playwright's runner. */
const ofRunner = /[\\/]\.playwright-artifacts-|[\\/]test-(failed|finished)-\d+\.png$/;

const kept = Symbol('kept');

/** Stores every screenshot that a script takes of a page or an element. Resolves when handles are included. */
function keepAsked(page, keep) {
  const screenshot = page.screenshot.bind(page);
  page.screenshot = async (options = {}) => {
    const content = await screenshot(options);
    if (!ofRunner.test(options.path ?? '')) keep(requestedPicture(options, content));
    return content;
  };
  keepOfParts(Object.getPrototypeOf(page.locator('html')), keep);
  return keepOfHandles(page, keep);
}

/** @param parts prototype of locators or handles, patched once per process */
function keepOfParts(parts, keep) {
  if (Object.hasOwn(parts, kept)) return;
  const ofPart = parts.screenshot;
  parts[kept] = true;
  parts.screenshot = async function (options = {}) {
    const content = await ofPart.call(this, { ...options, [kept]: true });
    // A locator calls a handle with the same options.
    if (options[kept] !== true) keep(requestedPicture(options, content));
    return content;
  };
}

let hasHandles = false;
const maxTries = 5;

/** The prototype of handles is only available from a handle. Getting one does not appear in traces. */
async function keepOfHandles(page, keep) {
  // A page that navigates meanwhile does not answer; retry.
  for (let tries = 0; tries < maxTries && !hasHandles && !page.isClosed(); tries++) {
    try {
      const handle = await page._wrapApiCall(() => page.evaluateHandle('document'), { internal: true });
      const parts = Object.getPrototypeOf(handle);
      if (Object.hasOwn(parts, 'screenshot')) keepOfParts(parts, keep);
      hasHandles = true;
    } catch {
      // Retry.
    }
  }
}

function requestedPicture({ path }, content) {
  const isNamed = path !== undefined;
  const name = isNamed ? basename(path) : 'screenshot';
  return { sort: 'screenshot', name, when: 'always', isRequested: true, isNamed, content };
}
