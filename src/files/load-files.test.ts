// The files of a folder are read up to the limits, and refused with the limit above them.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { FileProblemsError } from './file-problem.ts';
import { loadFiles } from './load-files.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-load-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('resource files and scripts of 12 MB in total are read, a byte more is refused', (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'a.yaml'), '#'.repeat(1000));
  writeFileSync(join(folder, 'a.ts'), ' '.repeat(12 * 1_048_576 - 1000));
  writeFileSync(join(folder, 'one.ts'), ' ');
  const { sources, readText } = loadFiles(folder);
  const path = sources[0]?.path ?? '';
  assert.equal(readText(path, 'a.ts').length, 12 * 1_048_576 - 1000);
  assert.throws(() => readText(path, 'one.ts'), /^Error: one\.ts: the files are larger than 12 MB in total$/);
});

test('a script counts as often as it is named, and a huge one is not read', (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'a.yaml'), '');
  writeFileSync(join(folder, 'a.ts'), ' '.repeat(6 * 1_048_576));
  const { sources, readText } = loadFiles(folder);
  const path = sources[0]?.path ?? '';
  for (let times = 0; times < 2; times++) readText(path, 'a.ts');
  assert.throws(() => readText(path, 'a.ts'), /larger than 12 MB in total/);
  writeFileSync(join(folder, 'huge.yaml'), '');
  truncateSync(join(folder, 'huge.yaml'), 1e12);
  assert.throws(() => loadFiles(folder), /huge\.yaml: the files are larger than 12 MB in total/);
});

test('a folder with 1000 resource files is read, with one more it is refused', (t) => {
  const folder = folderOf(t);
  for (let index = 0; index < 1000; index++) writeFileSync(join(folder, `${index}.yaml`), '');
  assert.equal(loadFiles(folder).sources.length, 1000);
  writeFileSync(join(folder, 'one.yaml'), '');
  assert.throws(
    () => loadFiles(folder),
    (error) => {
      assert.ok(error instanceof FileProblemsError);
      assert.equal(error.message, `${folder} has more than 1000 resource files`);
      return true;
    },
  );
});

test('folders of any depth are read, and a link to a folder above is not followed', (t) => {
  const folder = folderOf(t);
  const deep = join(folder, ...Array.from({ length: 100 }, (_, level) => `level-${level}`));
  mkdirSync(deep, { recursive: true });
  writeFileSync(join(deep, 'a.yaml'), '');
  writeFileSync(join(deep, 'a.ts'), 'deep');
  symlinkSync(folder, join(deep, 'up'));
  const { sources, readText } = loadFiles(folder);
  assert.deepEqual(
    sources.map(({ path }) => path),
    [join(deep, 'a.yaml')],
  );
  assert.equal(readText(sources[0]?.path ?? '', 'a.ts'), 'deep');
  assert.throws(() => readText(sources[0]?.path ?? '', '../'.repeat(101)), /is outside of the folder of the files/);
});

test('what is not text is refused by name', (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'a.yaml'), '');
  writeFileSync(join(folder, 'picture.png'), Buffer.from([0x89, 0xff]));
  mkdirSync(join(folder, 'pages'));
  const { sources, readText } = loadFiles(folder);
  for (const [name, message] of [
    ['picture.png', /picture\.png is not UTF-8 text/],
    ['pages', /pages is not a file/],
  ] as const) {
    assert.throws(() => readText(sources[0]?.path ?? '', name), message);
  }
});
