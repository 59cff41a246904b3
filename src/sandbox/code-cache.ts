// The compiled code of runtimes: made once by a run of our own, read by every other, written by no script (docs/decisions/0082).
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { keepsNothing, type ScriptBrowser, type ScriptOutcome, type ScriptWork } from '#domain/checks/script.ts';
import { createUseMarks, problemOf, problemOfOwn, removeOldPlaces } from './code-folder.ts';
import { type Containment, containments, hasGateway, hasOtherUser, nobody } from './containment/containment.ts';
import { insideEnclosed } from './containment/enclosure.ts';
import { insideFolder } from './inside-folder.ts';
import type { ScriptCode } from './script-process.ts';

type Runtime = ScriptWork['runtime'];

/** Where scripts find what was compiled before. */
export interface CodeCache {
  /**
   * The folder for the runtime of a script; null = there is none, or none yet. The first script that takes long to load, as
   * tests and browsers do, has it made beside its own run.
   */
  folderOf(work: Pick<ScriptWork, 'runtime' | 'sort' | 'browser'>): string | null;
  /** Ends what is being made. */
  close(): Promise<void>;
}

export interface CodeCacheOptions {
  /** Where it is kept from one process to the next: a folder that nobody but us may write. */
  readonly folder: string;
  readonly containment: Containment;
  readonly isRoot: boolean;
  readonly browser: () => ScriptBrowser | null;
  /** Runs a script of ours that may write what it compiles, as soon as there is room for it. */
  readonly run: (work: ScriptWork, code: ScriptCode, signal: AbortSignal) => Promise<ScriptOutcome>;
  /** Told once a runtime's is there, or why it is not. */
  readonly onMade: (runtime: string, problem: string | null) => void;
  /** Told once of each folder that is there and not used, because others than us may write it. */
  readonly onRefused: (problem: string) => void;
}

/** A page to be opened, read and used, from a server of the script's own. */
const serving = `const page = '<!doctype html><title>Page</title><button onclick="this.textContent = 1">0</button>';
  server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  address = 'http://127.0.0.1:' + server.address().port + '/';`;
/** What a script does that is to be fast: asking, and a page of its own server, opened, read, and used. */
const asking = `import { createServer } from 'node:http';
import { test, expect } from '@playwright/test';
let server, address;
test.beforeAll(async () => {
  ${serving}
});
test.afterAll(() => void server.close());
test('request', async ({ request }) => {
  await test.step('ask', async () => expect((await request.get(address)).status()).toBe(200));
});
`;
const opening = `test('page', async ({ page }) => {
  await page.goto(address);
  await expect(page).toHaveTitle('Page');
  await page.getByRole('button', { name: '0' }).click();
  await expect(page.locator('button')).toHaveText('1');
  await expect(page.getByText('1')).toBeVisible();
});
`;

/** The same page without tests around it. */
const program = `const { createServer } = require('node:http');
const { chromium } = require('playwright');
let server, address;
(async () => {
  ${serving}
  const browser = await chromium.launch();
  const opened = await browser.newPage();
  await opened.goto(address);
  await opened.getByRole('button', { name: '0' }).click();
  await opened.getByText('1').waitFor();
  await browser.close();
  server.close();
})();
`;

const limits = {
  wallClockMs: 240_000,
  memoryBytes: 2 ** 31,
  processes: 128,
  outputBytes: 1 << 20,
  diskBytes: 256 << 20,
};

export function createCodeCache(options: CodeCacheOptions): CodeCache {
  const { folder, containment, isRoot } = options;
  const ending = new AbortController();
  const places = new Map<string, string | null>();
  const making = new Set<Promise<void>>();
  const marks = createUseMarks(folder);
  const refused = new Set<string>();
  const isOurs = (problem: string | null): boolean => {
    if (problem !== null && !refused.has(problem)) options.onRefused(problem);
    if (problem !== null) refused.add(problem);
    return problem === null;
  };
  const begin = (runtime: Runtime, place: string): void => {
    const work = make(runtime, place, options, ending.signal).then((problem) => {
      making.delete(work);
      if (problem === null) places.set(runtime.folder, place);
      if (!ending.signal.aborted) options.onMade(basename(runtime.folder), problem);
    });
    making.add(work);
  };
  return {
    folderOf({ runtime, sort, browser }) {
      // Elsewhere another script could write there, or stands in for our run.
      if (!hasGateway(containment) || ending.signal.aborted || !isOurs(problemOf(folder))) return null;
      if (!places.has(runtime.folder)) {
        const name = nameOf(runtime, containment, isRoot);
        if (name === null) return null;
        const place = join(folder, name);
        const isThere = existsSync(place);
        if (!isThere && sort !== 'spec' && browser === null) return null;
        places.set(runtime.folder, isThere ? place : null);
        if (!isThere) begin(runtime, place);
      }
      const place = places.get(runtime.folder) ?? null;
      if (place === null || !isOurs(problemOfOwn(place))) return null;
      // Marked before it is looked for: what is found is not removed while the run lasts.
      if (existsSync(place)) marks.note(basename(place));
      // Whoever empties caches by hand loses speed and nothing else.
      return existsSync(place) ? place : null;
    },
    async close() {
      ending.abort();
      await Promise.all(making);
      marks.remove();
    },
  };
}

/**
 * Removes what was compiled for runtimes that are not installed any more, or for another version of one, of Node.js or of ours.
 * Answers what it has removed: names of folders.
 *
 * @throws {Error} when something cannot be removed
 */
export function removeOldCode(folder: string, runtimes: readonly Runtime[], isRoot: boolean): Promise<string[]> {
  const named = runtimes.map((runtime) => ({
    runtime: basename(runtime.folder),
    names: containments.filter(hasGateway).map((containment) => nameOf(runtime, containment, isRoot)),
  }));
  const wanted = new Set(named.flatMap(({ names }) => names));
  // Of a runtime that is being installed it is not known yet.
  const unknown = named.filter(({ names }) => names.includes(null)).map(({ runtime }) => runtime);
  return removeOldPlaces(
    folder,
    (place) => wanted.has(place) || unknown.some((runtime) => place.startsWith(`${runtime}-`)),
  );
}

/**
 * By everything that it is compiled from and for. It need only be fitting: Node.js compares the text of each file with what was
 * compiled, and takes nothing that is of another. null while the runtime is being installed anew.
 */
function nameOf(runtime: Runtime, containment: Containment, isRoot: boolean): string | null {
  try {
    return `${basename(runtime.folder)}-${hashOf(runtime, containment, isRoot)}`;
  } catch {
    return null;
  }
}

function hashOf({ folder, nodeBinary }: Runtime, containment: Containment, isRoot: boolean): string {
  const hash = createHash('sha256');
  const user = hasOtherUser(isRoot, containment) ? nobody : process.getuid?.();
  // One of its own comes with the packages.
  const node = nodeBinary === process.execPath ? process.version : null;
  hash.update(
    JSON.stringify([node, statSync(nodeBinary).size, containment, insideEnclosed, user, asking, opening, program]),
  );
  for (const name of readdirSync(insideFolder).toSorted()) hash.update(readFileSync(join(insideFolder, name)));
  const lock = join(folder, 'node_modules', '.package-lock.json');
  hash.update(existsSync(lock) ? readFileSync(lock) : '');
  return hash.digest('hex').slice(0, 16);
}

/** Made aside and renamed, so that nobody reads half of it. @returns why it was not made; null = it was. Never rejects */
async function make(
  runtime: Runtime,
  place: string,
  { folder, isRoot, containment, browser, run }: CodeCacheOptions,
  signal: AbortSignal,
): Promise<string | null> {
  let aside: string | null = null;
  try {
    // Who has another user must be let through to it.
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    const foreign = problemOf(folder);
    if (foreign !== null) return foreign;
    removeBegun(folder);
    aside = mkdtempSync(join(folder, '.making-'));
    if (hasOtherUser(isRoot, containment)) chownSync(aside, nobody, nobody);
    for (const work of worksFor(runtime, browser())) {
      const outcome = await run(work, { folder: aside, isWritable: true }, signal);
      if (signal.aborted) return 'stopped';
      const { ending, errors, problem, tests } = outcome;
      if (ending !== 'ended' || errors.length > 0 || tests === 0) return problem ?? errors[0]?.message ?? ending;
    }
    if (!existsSync(join(aside, 'tests'))) return 'this Node.js keeps no compiled code';
    seal(aside);
    if (!existsSync(place)) renameSync(aside, place);
    return null;
  } catch (error) {
    // Another process was quicker.
    return existsSync(place) ? null : String(error);
  } finally {
    if (aside !== null) removeIfPossible(aside);
  }
}

/** What stays goes when it is old. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {}
}

/** What a process that was killed has left: far older than any that is being made. */
function removeBegun(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => each.startsWith('.making-'))) {
    const path = join(folder, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > 10 * limits.wallClockMs) rmSync(path, { recursive: true, force: true });
  }
}

/** Makes it ours: what it is mounted from is written by no script either, whichever way that is kept apart. */
function seal(folder: string): void {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) seal(path);
    else if (entry.isFile()) {
      chownSync(path, user, group);
      chmodSync(path, 0o644);
    } else throw new Error(`${path} is no file`);
  }
  chownSync(folder, user, group);
  chmodSync(folder, 0o755);
}

/** One of each sort that takes long to load. */
function worksFor(runtime: Runtime, browser: ScriptBrowser | null): readonly ScriptWork[] {
  if (browser === null) return [workFor(runtime, null, 'check.spec.mjs', asking)];
  return [
    workFor(runtime, browser, 'check.spec.mjs', `${asking}${opening}`),
    workFor(runtime, browser, 'check.cjs', program),
  ];
}

function workFor(runtime: Runtime, browser: ScriptBrowser | null, entry: string, content: string): ScriptWork {
  return {
    runtime,
    sort: entry.includes('.spec.') ? 'spec' : 'plain',
    files: [{ path: entry, content }],
    entry,
    browser,
    keeps: browser === null ? keepsNothing : { screenshots: 'on-failure', trace: 'on-failure', video: 'off' },
    environment: {},
    hide: (text) => text,
    hidden: [],
    limits,
  };
}
