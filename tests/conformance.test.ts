// tests/conformance.md tells the truth: every file and every test that it names exists.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sourceFile } from './support/laws/source-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Rules whose test is still to be written: none, and it stays so. */
const openRules = 0;

/** One row: the section, the rule, the files that do it and the tests that prove it. */
interface Row {
  readonly section: string;
  readonly rule: string;
  readonly files: readonly string[];
  readonly tests: readonly { readonly path: string; readonly name: string }[];
  readonly isOpen: boolean;
}

function readRows(page: string): readonly Row[] {
  const lines = page.split('\n').filter((line) => /^\| \d/.test(line));
  return lines.map((line) => {
    const [section = '', rule = '', doneBy = '', provenBy = '', ...more] = line.slice(2, -2).split(' | ');
    assert.deepEqual(more, [], `four cells: ${line}`);
    const files = [...doneBy.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    const tests = [...provenBy.matchAll(/`([^`]+)`: "([^"]+)"/g)].map(([, path = '', name = '']) => ({ path, name }));
    return { section, rule, files, tests, isOpen: [doneBy, provenBy].some((cell) => cell.startsWith('open: ')) };
  });
}

/** Whether a test file holds a test of this name; a part of a name stands for tests made in a loop. */
function hasTest(path: string, name: string): boolean {
  if (!existsSync(root + path)) return false;
  const { code } = sourceFile(path, readFileSync(root + path, 'utf8'));
  const names = [
    ...code.matchAll(/\b(?:it|test|onSqlite)\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g),
  ];
  return names.some(([, single, double, template]) =>
    (single ?? double ?? template ?? '').replaceAll('\\', '').includes(name),
  );
}

const rows = readRows(readFileSync(`${root}tests/conformance.md`, 'utf8'));

describe('the page on conformance', () => {
  it('covers every section of the specification', () => {
    assert.deepEqual(
      [...new Set(rows.map(({ section }) => section.split('.')[0]))],
      ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
    );
    assert.ok(rows.length >= 50, `${rows.length} rules`);
  });

  it('names only files that exist', () => {
    const named = rows.flatMap(({ files, tests }) => [...files, ...tests.map(({ path }) => path)]);
    assert.deepEqual(
      named.filter((path) => !existsSync(root + path)),
      [],
    );
  });

  it('names only tests that exist', () => {
    const gone = rows.flatMap(({ tests }) => tests).filter(({ path, name }) => !hasTest(path, name));
    assert.deepEqual(gone, []);
  });

  it('has a file and a test for every rule that is not open', () => {
    const bare = rows.filter(({ files, tests, isOpen }) => !isOpen && (files.length === 0 || tests.length === 0));
    assert.deepEqual(bare, []);
  });

  it('has no more open rules than before', () => {
    const open = rows.filter(({ isOpen }) => isOpen).map(({ section, rule }) => `${section} ${rule}`);
    assert.ok(open.length <= openRules, `${open.length} open rules:\n${open.join('\n')}`);
  });

  it('would notice a test that is gone, renamed or only mentioned', () => {
    const self = 'tests/conformance.test.ts';
    assert.ok(hasTest(self, 'names only tests that exist'));
    assert.ok(!hasTest(self, 'names only tests that existed'));
    assert.ok(!hasTest(self, 'tests/conformance.md tells the truth'));
    assert.ok(!hasTest('tests/gone.test.ts', 'names only tests that exist'));
  });
});
