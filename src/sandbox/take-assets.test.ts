// Files of a run are untrusted: only complete regular files of the right type are stored, in limited number.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runPlain } from '../../tests/support/scripts/script-runs.ts';

/** A script that stores assets like the first code of its process. */
const script = (source: string): string => `import fs from 'node:fs';
import { execFileSync } from 'node:child_process';
const folder = 'tmp/assets';
let count = 0;
const nameOf = () => String(++count).padStart(24, '0');
const tell = (asset) => fs.writeSync(3, JSON.stringify({ kind: 'asset', when: 'always', isRequested: true, ...asset }) + '\\n');
const png = (fill = '') => Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.from(String(fill))]);
const leave = (content, asset = {}) => {
  const file = nameOf();
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(folder + '/' + file, content);
  tell({ sort: 'screenshot', name: 'shot', file, bytes: content.length, ...asset });
};
const claim = (make) => {
  const file = nameOf();
  fs.mkdirSync(folder, { recursive: true });
  make(folder + '/' + file);
  tell({ sort: 'screenshot', name: 'shot', file, bytes: 4 });
};
${source}`;

const whys = ({ leftOut }: Awaited<ReturnType<typeof runPlain>>) => leftOut.map(({ why }) => why);

test('stores a file unchanged', async () => {
  const outcome = await runPlain(script(`leave(png('pixels'), { name: 'cart' });`));
  const [asset, ...more] = outcome.assets;
  assert.deepEqual([outcome.ending, more.length, outcome.leftOut.length], ['ended', 0, 0], JSON.stringify(outcome));
  assert.deepEqual([asset?.sort, asset?.name, asset?.contentType], ['screenshot', 'cart', 'image/png']);
  assert.equal(Buffer.from(asset?.content ?? []).toString('latin1'), '\u0089PNGpixels');
});

test('does not store files for failures if the run passes', async () => {
  const source = `leave(png(1), { when: 'failed' });`;
  assert.deepEqual((await runPlain(script(source))).assets, []);
  assert.equal((await runPlain(script(`${source} throw new Error('no');`))).assets.length, 1);
});

test('skips links, pipes, folders and hard links', async (t) => {
  const outside = mkdtempSync(join(tmpdir(), 'tocsin-outside-'));
  t.after(() => rmSync(outside, { recursive: true }));
  writeFileSync(join(outside, 'secret'), Buffer.from([0x89, 0x50, 0x4e, 0x47]), { mode: 0o644 });
  const outcome = await runPlain(
    script(`fs.writeFileSync('own.png', png());
claim((path) => fs.symlinkSync(${JSON.stringify(join(outside, 'secret'))}, path));
claim((path) => fs.symlinkSync('../../own.png', path));
claim((path) => fs.linkSync('own.png', path));
claim((path) => fs.mkdirSync(path));
claim((path) => execFileSync('mkfifo', [path]));
claim(() => {});`),
  );
  assert.deepEqual(
    [outcome.assets, whys(outcome)],
    [[], Array<string>(6).fill('content')],
    JSON.stringify(outcome.log),
  );
});

test('does not follow a link in place of the assets folder', async (t) => {
  const outside = mkdtempSync(join(tmpdir(), 'tocsin-outside-'));
  t.after(() => rmSync(outside, { recursive: true }));
  writeFileSync(join(outside, '0'.repeat(24)), Buffer.from([0x89, 0x50, 0x4e, 0x47]));
  for (const target of [JSON.stringify(outside), `'/'`, `'../tmp'`]) {
    const outcome = await runPlain(
      script(`fs.symlinkSync(${target}, folder); tell({ sort: 'screenshot', name: '', file: '${'0'.repeat(24)}' });`),
    );
    assert.deepEqual([outcome.assets, whys(outcome)], [[], ['content']], target);
  }
});

test('skips files of another type than reported', async () => {
  const outcome = await runPlain(
    script(`leave('<script>alert(1)</script>'); leave(png(), { sort: 'trace' }); leave('', { sort: 'video' });`),
  );
  assert.deepEqual([outcome.assets, whys(outcome)], [[], ['content', 'content', 'content']]);
});

test('skips files over the size limits and reports their size', async () => {
  const megabytes = (count: number): string => `Buffer.concat([png(), Buffer.alloc(${count} << 20, ++count)])`;
  const outcome = await runPlain(
    script(`leave(${megabytes(11)}); for (let n = 0; n < 3; n++) leave(${megabytes(9)}); leave(png('small'));`),
  );
  assert.deepEqual(whys(outcome), ['size', 'total'], JSON.stringify(outcome.leftOut));
  assert.equal(outcome.leftOut[0]?.bytes, (11 << 20) + 4);
  assert.equal(outcome.assets.length, 3);
});

test('stores few of a thousand files, those of the failure first', async () => {
  const outcome = await runPlain(script(`for (let n = 0; n < 1000; n++) leave(png(n));`));
  assert.deepEqual([outcome.ending, outcome.assets.length, outcome.leftOut.length], ['ended', 10, 90]);
  const early = await runPlain(
    script(`for (let n = 0; n < 50; n++) leave(png(n)); leave(png('x'), { name: 'failure', isRequested: false });`),
  );
  assert.deepEqual([early.assets.length, early.assets[0]?.name], [10, 'failure']);
});

test('a screenshot named by the script replaces the identical failure screenshot', async () => {
  const outcome = await runPlain(
    script(`leave(png('other'), { name: 'cart', isNamed: true });
leave(png('same'), { name: 'basket', isNamed: true });
leave(png('same'), { name: 'basket', isNamed: true });
leave(png('same'), { name: 'paid', isNamed: true });
leave(png('same'), { name: 'screenshot' });
leave(png('same'), { name: 'failure', isRequested: false });`),
  );
  assert.deepEqual([outcome.assets.map(({ name }) => name), outcome.leftOut], [['basket', 'cart', 'paid'], []]);
});

test('stores identical screenshots once', async () => {
  const outcome = await runPlain(script(`leave(png('same')); leave(png('same')); leave(png('other'));`));
  assert.deepEqual([outcome.assets.length, outcome.leftOut], [2, []]);
});

test('at the limit, a stored screenshot still gets the name from the script', async () => {
  const outcome = await runPlain(
    script(`for (let n = 0; n < 10; n++) leave(png(n));
leave(png(7), { name: 'receipt', isNamed: true });
leave(png('new'), { name: 'one too many', isNamed: true });`),
  );
  const names = outcome.assets.map(({ name }) => name);
  assert.deepEqual([names.length, names.indexOf('receipt'), whys(outcome)], [10, 7, ['count']]);
});
