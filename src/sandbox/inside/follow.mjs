// Keeps what the contexts of a browser have to show: pictures that a script asks for, and at the end of each context its
// last pictures, its trace and its videos, as far as nobody else keeps them.
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { recordAsked } from './asked-video.mjs';
import { createKeeper } from './assets.mjs';
import { askByUs } from './open-steps.mjs';
import { recordPage } from './video.mjs';

/** How long a page may take to be pictured at the end, ms. */
const pictureMs = 5000;

/** Where Playwright's runner has videos that tests ask for in their settings: it attaches those that are to be kept. */
const videosOfRunner = /[\\/]\.playwright-artifacts-/;

/**
 * @returns follows a context, of which the script may ask for videos, as Playwright takes it: `{ dir }`; answers with what is to
 * be called before it is closed, as often as one likes
 */
export function contextFollower(home, keeps, tell, isPlain) {
  const keep = createKeeper(home, tell);
  const open = new Set();
  let traces = 0;
  const follow = async (context, askedVideo) => {
    const path = join(home, 'tmp', `trace-${process.pid}-${++traces}.zip`);
    const stopTrace = isPlain && keeps.trace !== 'off' ? await startTrace(context, path) : null;
    const videos = [];
    const attend = (page) => {
      if (keeps.screenshots !== 'off') keepAsked(page, keep);
      if (askedVideo)
        videos.push({ page, recording: recordAsked(page, askedVideo.dir ?? join(home, 'tmp', 'videos')) });
      else if (keeps.video !== 'off') videos.push({ page, recording: recordPage(page) });
    };
    // One that lasts has a page from the beginning.
    context.pages().forEach(attend);
    context.on('page', (page) => void askByUs(context, async () => attend(page)));
    const end = async () => {
      const pages = isPlain && keeps.screenshots !== 'off' ? context.pages() : [];
      // The browser may be gone already: what there is of the videos is kept nevertheless.
      const [isTraced] = await Promise.all([stopTrace?.().catch(() => false), ...pages.map((page) => picture(page))]);
      if (isTraced === true) keep({ sort: 'trace', name: 'trace', when: whenOf(keeps.trace), path });
      // At once: a page that does not answer has nobody else wait.
      const contents = await Promise.all(videos.map(({ recording }) => recording.stop()));
      for (const [index, { page }] of videos.entries())
        if (contents[index] !== null) keepVideo(page.url(), contents[index]);
    };
    const keepVideo = (name, content) => {
      // Without a word of the check the script's own holds.
      if (keeps.video !== 'off') keep({ sort: 'video', name, when: whenOf(keeps.video), content });
      else if (!videosOfRunner.test(askedVideo.dir ?? ''))
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
      // It is closed, or does not answer.
    }
  };
  follow.leaveAll = () => Promise.all([...open].map((leave) => leave()));
  return follow;
}

function whenOf(setting) {
  return setting === 'always' ? 'always' : 'failed';
}

/** Stops answering where the script traces by itself: there is one trace at a time. */
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
    // From now on the script may trace by itself.
    isOurs = false;
    await stop({ path });
    return true;
  };
}

/** As Chromium gives it at once: in a trace it is nothing that the script did, and it takes half as long as `page.screenshot`. */
async function pictureOf(page) {
  const session = await page.context().newCDPSession(page);
  const sent = session.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
  const came = await Promise.race([sent, pause(pictureMs, null, { ref: false })]);
  if (came === null) throw new Error('the page does not answer');
  return Buffer.from(came.data, 'base64');
}

/** Names that Playwright's runner gives to pictures of its own. */
const ofRunner = /[\\/]\.playwright-artifacts-|[\\/]test-(failed|finished)-\d+\.png$/;

const kept = Symbol('kept');

/** A picture that the script takes, of a page or of a part of one, is kept, whatever it does with it. */
function keepAsked(page, keep) {
  const screenshot = page.screenshot.bind(page);
  page.screenshot = async (options = {}) => {
    const content = await screenshot(options);
    if (!ofRunner.test(options.path ?? '')) keep(askedPicture(options, content));
    return content;
  };
  keepOfParts(Object.getPrototypeOf(page.locator('html')), keep);
  void keepOfHandles(page, keep);
}

/** @param parts the prototype of locators or of handles: once in a process */
function keepOfParts(parts, keep) {
  if (Object.hasOwn(parts, kept)) return;
  const ofPart = parts.screenshot;
  parts[kept] = true;
  parts.screenshot = async function (options = {}) {
    const content = await ofPart.call(this, { ...options, [kept]: true });
    // A locator asks a handle in its turn, by the same options.
    if (options[kept] !== true) keep(askedPicture(options, content));
    return content;
  };
}

let hasHandles = false;
const mostTries = 5;

/** Only a handle itself shows what handles are; in a trace it is nothing that the script did. */
async function keepOfHandles(page, keep) {
  // A page that goes elsewhere meanwhile does not answer, and the next one does.
  for (let tries = 0; tries < mostTries && !hasHandles && !page.isClosed(); tries++) {
    try {
      const handle = await page._wrapApiCall(() => page.evaluateHandle('document'), { internal: true });
      const parts = Object.getPrototypeOf(handle);
      if (Object.hasOwn(parts, 'screenshot')) keepOfParts(parts, keep);
      hasHandles = true;
    } catch {
      // Again.
    }
  }
}

function askedPicture({ path }, content) {
  const isNamed = path !== undefined;
  const name = isNamed ? basename(path) : 'screenshot';
  return { sort: 'screenshot', name, when: 'always', isRequested: true, isNamed, content };
}
