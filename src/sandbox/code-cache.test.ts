// The compiled code that runs share: made by a run of our own, used by scripts, and written by none of them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ScriptBrowser } from '#domain/checks/script.ts';
import { containmentHere, currentRuntime, printed, runPlain } from '../../tests/support/script-runs.ts';
import { createCodeCache, removeOldCode } from './code-cache.ts';
import { type Containment, nobody } from './containment/containment.ts';
import { findChromium } from './find-chromium.ts';

const isRoot = process.getuid?.() === 0;

/** What asks for it. */
const tests = { runtime: currentRuntime, sort: 'spec', browser: null } as const;

async function scene(t: TestContext, level?: Containment, browser: ScriptBrowser | null = null) {
  const { containment: here } = await containmentHere();
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-code-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const made = Promise.withResolvers<string | null>();
  const refused: string[] = [];
  const cache = createCodeCache({
    folder: join(folder, 'scripts'),
    containment: level ?? here,
    isRoot,
    browser: () => browser,
    run: (work, code, signal) => runPlain('', { ...work, code, signal }),
    onMade: (_, problem) => made.resolve(problem),
    onRefused: (problem) => refused.push(problem),
  });
  t.after(() => cache.close());
  return { cache, folder, refused, made: made.promise };
}

/** Every file below, with what it holds and who may do what with it. */
function filesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const facts = (path: string): string => {
    const { mode, uid } = statSync(path);
    return `${uid} ${(mode & 0o777).toString(8)} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
  };
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name), facts(join(parentPath, name))]),
  );
}

test('what runs of ours compiled is used by scripts, each sort its own, and no script can write or replace any of it', async (t) => {
  const browser = findChromium(null);
  assert.ok(browser, 'there is no Chromium here: npm ci brings one');
  const { cache, folder, refused, made } = await scene(t, undefined, browser);
  assert.equal(cache.folderOf({ ...tests, sort: 'plain' }), null, 'for a program alone it is not worth while');
  assert.equal(cache.folderOf(tests), null, 'there is none before it is made');
  assert.equal(await made, null);
  const place = cache.folderOf(tests);
  assert.ok(place !== null);
  const left = readdirSync(join(folder, 'scripts')).filter((name) => !name.startsWith('.used-'));
  assert.equal(left.length, 1, 'nothing of its making is left');
  assert.deepEqual(readdirSync(place).toSorted(), ['program', 'runner', 'tests']);
  const telling = `import { getCompileCacheDir } from 'node:module';\nconsole.log(getCompileCacheDir());`;
  const used = async (found: ScriptBrowser | null): Promise<string> =>
    printed(await runPlain(telling, { browser: found, code: { folder: place, isWritable: false } }));
  assert.match(await used(browser), /^\/tocsin\/code\/program\//);
  assert.match(await used(null), /^\/tocsin\/code\/tests\//);
  const before = filesIn(place);
  assert.ok(Object.keys(before).length > 20, `${Object.keys(before).length} files`);
  for (const facts of Object.values(before)) assert.match(facts, new RegExp(`^${process.getuid?.()} 644 `));

  const content = `import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
const folder = process.env.NODE_COMPILE_CACHE;
const files = fs.readdirSync('/tocsin/code', { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
const got = [];
const attempt = (name, work) => { try { work(); got.push(name); } catch {} };
for (const { parentPath, name } of files.slice(0, 5)) {
  const path = join(parentPath, name);
  attempt('write', () => fs.writeFileSync(path, 'poison'));
  attempt('append', () => fs.appendFileSync(path, 'poison'));
  attempt('remove', () => fs.unlinkSync(path));
  attempt('rename', () => fs.renameSync('script.mjs', path));
  attempt('mode', () => fs.chmodSync(path, 0o777));
  attempt('link', () => fs.linkSync(path, 'mine'));
}
attempt('new', () => fs.writeFileSync(join(folder, 'new'), ''));
attempt('folder', () => fs.renameSync('/tocsin/code', '/tocsin/other'));
attempt('mount', () => execFileSync('mount', ['-o', 'remount,bind,rw', '/tocsin/code'], { stdio: 'ignore' }));
attempt('unmount', () => execFileSync('umount', ['/tocsin/code'], { stdio: 'ignore' }));
const env = { ...process.env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
const words = ['-e', "require('/home/check/node_modules/playwright-core')"];
const { stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
const said = stderr.split('\\n').filter((line) => line.includes('coreBundle')).join('\\n');
console.log(JSON.stringify({ files: files.length, got, said }));
`;
  const outcome = await runPlain(content, { code: { folder: place, isWritable: false } });
  assert.deepEqual([outcome.ending, outcome.errors], ['ended', []]);
  const told = JSON.parse(printed(outcome)) as { files: number; got: string[]; said: string };
  assert.deepEqual([told.got, told.files], [[], Object.keys(before).length]);
  assert.match(told.said, /coreBundle\.js.*(?:success|accepted)/, told.said);
  assert.deepEqual(filesIn(place), before);

  // Nothing that others could have written is used, although the folder around it is ours.
  chmodSync(place, 0o775);
  assert.equal(cache.folderOf(tests), null);
  assert.match(refused.join(), /can be written by others than its owner \(mode 775\)$/);
  chmodSync(place, 0o755);
  assert.equal(cache.folderOf(tests), place);

  const scripts = join(folder, 'scripts');
  assert.deepEqual(await removeOldCode(scripts, [currentRuntime], isRoot), [], 'it is what would be used');
  assert.deepEqual(await removeOldCode(scripts, [], isRoot), [], 'somebody uses it');

  // Another process finds it there, and one whose files have gone goes without.
  rmSync(place, { recursive: true });
  assert.equal(cache.folderOf(tests), null);
  await cache.close();
  assert.deepEqual(readdirSync(scripts), [], 'who has ended uses nothing');
});

test('where scripts are not kept apart from each other they share no compiled code', async (t) => {
  for (const level of ['user', 'process'] as const) {
    const { cache, folder } = await scene(t, level);
    assert.equal(cache.folderOf(tests), null);
    await cache.close();
    assert.deepEqual(readdirSync(folder), []);
  }
});

test('compiled code that others than the user of the service could have written is refused, told once, and not used', async (t) => {
  const { cache, folder, refused } = await scene(t, 'namespaces');
  const scripts = join(folder, 'scripts');
  mkdirSync(scripts, { mode: 0o711 });
  const judged = (): string => {
    assert.equal(cache.folderOf({ ...tests, sort: 'plain' }), null);
    assert.equal(cache.folderOf({ ...tests, sort: 'plain' }), null);
    return refused.splice(0).join('; ').replaceAll(folder, '…');
  };
  assert.equal(judged(), '');
  for (const mode of [0o720, 0o702]) {
    chmodSync(scripts, mode);
    assert.equal(judged(), `…/scripts can be written by others than its owner (mode ${mode.toString(8)})`);
  }
  chmodSync(scripts, 0o711);
  chmodSync(folder, 0o777);
  assert.equal(judged(), '… can be written by others than its owner (mode 777)');
  chmodSync(folder, 0o700);
  renameSync(scripts, join(folder, 'other'));
  symlinkSync('other', scripts);
  assert.equal(judged(), '…/scripts is no folder');
  if (isRoot) {
    rmSync(scripts);
    mkdirSync(scripts);
    chownSync(scripts, nobody, nobody);
    assert.equal(judged(), `…/scripts belongs to the user ${nobody}, and Tocsin runs as 0`);
  }
});

test('at a start compiled code of runtimes that are gone goes, but for what a run of another process has begun with lately', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-code-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const scripts = join(folder, 'scripts');
  const old = ['2019.01-0123456789abcdef', '2026.10-0123456789abcdef', '2020.02-0123456789abcdef'];
  for (const name of [...old, 'something', '.making-abcdef']) {
    mkdirSync(join(scripts, name, 'tests'), { recursive: true });
    writeFileSync(join(scripts, name, 'tests', 'file'), '');
  }
  const [gone = '', otherVersion = '', used = ''] = old;
  for (const name of [gone, used]) writeFileSync(join(scripts, `.used-${name}-someone`), '');
  const long = new Date(Date.now() - 3_601_000);
  utimesSync(join(scripts, `.used-${gone}-someone`), long, long);
  const removed = await removeOldCode(scripts, [currentRuntime], isRoot);
  assert.deepEqual(removed.toSorted(), [gone, otherVersion]);
  assert.deepEqual(readdirSync(scripts).toSorted(), ['.making-abcdef', `.used-${used}-someone`, used, 'something']);

  // Where others can write nothing is removed either: it may be theirs.
  chmodSync(scripts, 0o777);
  utimesSync(join(scripts, `.used-${used}-someone`), long, long);
  assert.deepEqual(await removeOldCode(scripts, [currentRuntime], isRoot), []);
});
