// Makes scripts use the installed Chromium, however they start one, and reports console output and web vitals.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contextFollower } from './follow.mjs';
import { askByUs, followCalls } from './open-steps.mjs';

/** Runs in every page before its own code and reports web vitals as they become known (in ms; CLS has no unit). */
function watchVitals() {
  const reportVital = (name, value) => globalThis.__tocsinVital?.(name, value);
  const observe = (type, seen) => {
    try {
      new PerformanceObserver((list) => list.getEntries().forEach(seen)).observe({ type, buffered: true });
    } catch {
      // The browser does not support it.
    }
  };
  let shift = 0;
  observe('navigation', (entry) => reportVital('TTFB', entry.responseStart));
  observe('paint', (entry) => {
    if (entry.name !== 'first-contentful-paint') return;
    reportVital('FCP', entry.startTime);
    // Without shifts there is no entry.
    reportVital('CLS', shift);
  });
  observe('largest-contentful-paint', (entry) => reportVital('LCP', entry.startTime));
  observe('layout-shift', (entry) => {
    if (!entry.hadRecentInput) reportVital('CLS', (shift += entry.value));
  });
}

const flags = ['--disable-dev-shm-usage', '--disable-gpu'];

/** Routes all connections through the script's own loopback. */
function proxyFlags(port) {
  return port === null ? [] : [`--proxy-server=socks5://127.0.0.1:${port}`, '--proxy-bypass-list=<-loopback>'];
}

function refuseProxy({ proxy } = {}) {
  if (proxy) throw new Error('custom browser proxies are not supported: connections use the gateway of the run');
}

/** Throws a clear error for other browsers. Playwright would suggest installing them. */
function refuseOthers({ chromium, firefox, webkit }) {
  const refuse = (type, name) => {
    type[name] = async () => {
      throw new Error(`${type.name()}.${name}(): only Chromium is available, use chromium.launch()`);
    };
  };
  for (const type of [firefox, webkit])
    for (const name of ['launch', 'launchPersistentContext', 'launchServer']) refuse(type, name);
  refuse(chromium, 'launchServer');
}

/**
 * Sets up Playwright for the installed browser.
 *
 * @param playwright the Playwright library
 * @param browser resolves with its location and the files to store
 * @param reportVital reports an object
 * @param steps records browser calls; null = Playwright's runner does, and stores screenshots and traces
 * @returns stores what the open contexts show; call it before the run ends
 */
export async function prepareBrowser(home, playwright, browser, reportVital, steps) {
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
  // Headless, because there is no display.
  const ours = { executablePath, headless: true, chromiumSandbox: false, env };
  const always = [...flags, ...proxyFlags(proxyPort)];
  // Removes --single-process, which scripts written for other services set (docs/decisions/0082).
  const argsOf = (asked) => [...asked.filter((each) => each !== '--single-process'), ...always];
  const allow = proxyPort === null ? () => undefined : refuseProxy;
  const follow = contextFollower(home, keeps, reportVital, steps !== null);
  const attend = (context, recordVideo) =>
    askByUs(context, async () => {
      await watchContext(context, reportVital);
      return follow(context, recordVideo);
    });
  const launch = chromium.launch.bind(chromium);
  chromium.launch = async ({ channel: _channel, args = [], ...options } = {}) => {
    allow(options);
    const browser = await launch({ ...options, ...ours, args: argsOf(args) });
    const newContext = browser.newContext.bind(browser);
    const followed = [];
    // Videos are recorded by us; Playwright needs a program that is not installed (docs/decisions/0083).
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

async function watchContext(context, reportVital) {
  context.on('console', (message) => {
    reportVital({
      kind: 'page',
      sort: 'console',
      level: message.type(),
      text: message.text(),
      url: message.location().url,
    });
  });
  context.on('weberror', (fault) => {
    const error = fault.error();
    reportVital({
      kind: 'page',
      sort: 'error',
      level: 'error',
      text: String(error?.stack ?? error),
      url: fault.page()?.url() ?? '',
    });
  });
  await context.exposeBinding('__tocsinVital', ({ page, frame }, name, value) => {
    if (frame === page.mainFrame() && page.url().startsWith('http'))
      reportVital({ kind: 'vital', url: page.url(), name, value });
  });
  await context.addInitScript(watchVitals);
}
