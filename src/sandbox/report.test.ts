// What a script tells is foreign text: reading it ends soon whatever it is, and a cut leaves no half of a hidden value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyReport, readReportLine } from './report.ts';

const means = {
  startedAt: 0,
  home: '/home/check',
  hide: (text: string): string => text.replaceAll('hunter22', '********'),
};

function read(told: object) {
  const report = emptyReport();
  readReportLine(report, JSON.stringify(told), means);
  return report;
}

const errorOf = (error: object) => read({ kind: 'error', error }).errors[0];

test('an error stands at the first line of its stack that is in a file of the script', () => {
  const stack = `Error: no
    at check (/home/check/node_modules/chai/index.js:1:2)
    at file:///home/check/lib/shop.mjs:7:9
    at /home/check/script.mjs:3:1`;
  assert.deepEqual(errorOf({ message: 'no', stack })?.place, { file: 'lib/shop.mjs', line: 7, column: 9 });
});

test('a stack and a message made to be slow to read are read at once', () => {
  const beginning = performance.now();
  assert.equal(errorOf({ message: 'no', stack: 'at /'.repeat(1e6) })?.place, null);
  assert.equal(errorOf({ message: 'no', stack: `at /${':1'.repeat(1e6)}\n`.repeat(2) })?.place, null);
  assert.match(errorOf({ message: `\u001B[${';#'.repeat(5e5)}` })?.message ?? '', / …$/);
  assert.ok(performance.now() - beginning < 20_000);
});

test('the step that is open is the one told of last, and flaky tests are told by their first names', () => {
  const report = emptyReport();
  const tell = (told: object): void => readReportLine(report, JSON.stringify(told), means);
  const location = { file: '/home/check/script.mjs', line: 3, column: 1 };
  tell({ kind: 'open', what: 'click hunter22', location });
  assert.deepEqual(report.openStep, {
    message: 'click ********',
    place: { file: 'script.mjs', line: 3, column: 1 },
  });
  tell({ kind: 'open' });
  assert.equal(report.openStep, null);
  for (let index = 0; index < 100; index++) tell({ kind: 'flaky', title: `${index}` });
  assert.deepEqual([report.flaky.length, report.flaky[0]], [10, '0']);
});

test('an asset lies in its folder, whatever its run says', () => {
  const fileOf = (file: unknown) => read({ kind: 'asset', sort: 'trace', file }).assets[0]?.file;
  assert.equal(fileOf('0123456789abcdef01234567'), '0123456789abcdef01234567');
  for (const file of ['../../../etc/passwd', '/etc/passwd', '..', '', 'a/b', null, 7, {}])
    assert.equal(fileOf(file), null);
  assert.deepEqual(read({ kind: 'asset', sort: 'program', file: '0123456789abcdef01234567' }).assets, []);
});

test('the colours of a terminal are left out', () => {
  assert.equal(errorOf({ message: '\u001B[31mno\u001B[39m \u001B]8;;x\u0007link' })?.message, 'no link');
});

test('hidden values are taken out before a text is cut', () => {
  const long = `${'x'.repeat(16_380)}hunter22`;
  assert.doesNotMatch(errorOf({ message: long })?.message ?? '', /hunt/);
  const [step] = read({ kind: 'step', title: `${'x'.repeat(496)}hunter22`, category: 'expect' }).steps;
  assert.doesNotMatch(step?.title ?? '', /hunt/);
  const asset = { kind: 'asset', sort: 'screenshot', name: `${'x'.repeat(196)}hunter22` };
  assert.doesNotMatch(read(asset).assets[0]?.name ?? '', /hunt/);
  const url = `https://shop.example/${'x'.repeat(1975)}hunter22`;
  const report = read({ kind: 'vital', url, name: 'TTFB', value: 1 });
  assert.doesNotMatch([...report.pageVitals.keys()].join(), /hunt/);
});
