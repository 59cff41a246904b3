// Gives scripts the Chromium that is here, whichever way they start one, and tells what its pages say and how they load.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contextFollower } from './follow.mjs';
import { askByUs, followCalls } from './open-steps.mjs';

/** Runs in every page before its own code: hands out each web vital as it becomes known (ms; CLS has no unit). */
function watchVitals() {
  const tell = (name, value) => globalThis.__tocsinVital?.(name, value);
  const observe = (type, seen) => {
    try {
      new PerformanceObserver((list) => list.getEntries().forEach(seen)).observe({ type, buffered: true });
    } catch {
      // This browser does not know it.
    }
  };
  let shift = 0;
  observe('navigation', (entry) => tell('TTFB', entry.responseStart));
  observe('paint', (entry) => {
    if (entry.name !== 'first-contentful-paint') return;
    tell('FCP', entry.startTime);
    // Where nothing shifts no entry says so.
    tell('CLS', shift);
  });
  observe('largest-contentful-paint', (entry) => tell('LCP', entry.startTime));
  observe('layout-shift', (entry) => {
    if (!entry.hadRecentInput) tell('CLS', (shift += entry.value));
  });
}

const flags = ['--disable-dev-shm-usage', '--disable-gpu'];

/** Its loopback is the script's, as everything is that it connects to. */
function proxyFlags(port) {
  return port === null ? [] : [`--proxy-server=socks5://127.0.0.1:${port}`, '--proxy-bypass-list=<-loopback>'];
}

function refuseProxy({ proxy } = {}) {
  if (proxy) throw new Error('a browser takes no proxy of its own here: it is led through the gateway of the run');
}

/** What cannot be started here says so, where Playwright would tell whoever reads it to install something. */
function refuseOthers({ chromium, firefox, webkit }) {
  const refuse = (type, name) => {
    type[name] = async () => {
      throw new Error(`${type.name()}.${name}(): only Chromium is here, by chromium.launch()`);
    };
  };
  for (const type of [firefox, webkit])
    for (const name of ['launch', 'launchPersistentContext', 'launchServer']) refuse(type, name);
  refuse(chromium, 'launchServer');
}

/**
 * @param playwright what drives it
 * @param browser resolves with where it is and what is kept of it
 * @param tell takes what is to be reported, an object each
 * @param steps takes what the browser is asked for; null = Playwright's runner does, and keeps pictures and traces
 * @returns keeps what the open contexts have to show; the run is about to end
 */
export async function prepareBrowser(home, playwright, browser, tell, steps) {
  const { chromium } = playwright;
  refuseOthers(playwright);
  if (steps !== null) followCalls(chromium, steps);
  const { executablePath, libraryPath, keeps, proxyPort } = await browser;
  const fonts = join(dirname(executablePath), 'fonts.conf');
  const env = {
    ...process.env,
    ...(libraryPath !== null && { LD_LIBRARY_PATH: libraryPath }),
    ...(!existsSync('/etc/fonts/fonts.conf') && existsSync(fonts) && { FONTCONFIG_FILE: fonts }),
  };
  // There is no screen, and no other browser.
  const ours = { executablePath, headless: true, chromiumSandbox: false, env };
  const always = [...flags, ...proxyFlags(proxyPort)];
  // Never all of a browser in one process (docs/decisions/0082), whoever asks for it: scripts that were written for other places do.
  const argsOf = (asked) => [...asked.filter((each) => each !== '--single-process'), ...always];
  const allow = proxyPort === null ? () => undefined : refuseProxy;
  const follow = contextFollower(home, keeps, tell, steps !== null);
  const attend = (context, recordVideo) =>
    askByUs(context, async () => {
      await watchContext(context, tell);
      return follow(context, recordVideo);
    });
  const launch = chromium.launch.bind(chromium);
  chromium.launch = async ({ channel: _channel, args = [], ...options } = {}) => {
    allow(options);
    const browser = await launch({ ...options, ...ours, args: argsOf(args) });
    const newContext = browser.newContext.bind(browser);
    const followed = [];
    // Videos are ours: Playwright's need a program that is not here (docs/decisions/0083).
    browser.newContext = async ({ recordVideo, ...asked } = {}) => {
      allow(asked);
      const context = await newContext(asked);
      followed.push(await attend(context, recordVideo));
      return context;
    };
    const close = browser.close.bind(browser);
    browser.close = async (...asked) => {
      await Promise.all(followed.map((leave) => leave()));
      return close(...asked);
    };
    return browser;
  };
  const launchPersistent = chromium.launchPersistentContext.bind(chromium);
  chromium.launchPersistentContext = async (folder, { channel: _channel, recordVideo, args = [], ...options } = {}) => {
    allow(options);
    const context = await launchPersistent(folder, { ...options, ...ours, args: argsOf(args) });
    await attend(context, recordVideo);
    return context;
  };
  return follow.leaveAll;
}

async function watchContext(context, tell) {
  context.on('console', (message) => {
    tell({ kind: 'page', sort: 'console', level: message.type(), text: message.text(), url: message.location().url });
  });
  context.on('weberror', (fault) => {
    const error = fault.error();
    tell({
      kind: 'page',
      sort: 'error',
      level: 'error',
      text: String(error?.stack ?? error),
      url: fault.page()?.url() ?? '',
    });
  });
  await context.exposeBinding('__tocsinVital', ({ page, frame }, name, value) => {
    if (frame === page.mainFrame() && page.url().startsWith('http'))
      tell({ kind: 'vital', url: page.url(), name, value });
  });
  await context.addInitScript(watchVitals);
}
