// Reports of a script are untrusted: parsing is fast, and truncation leaves no partial secret.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyReport, readReportLine } from './report.ts';

const deps = {
  startedAt: 0,
  home: '/home/check',
  hide: (text: string): string => text.replaceAll('hunter22', '********'),
};

function read(reported: object) {
  const report = emptyReport();
  readReportLine(report, JSON.stringify(reported), deps);
  return report;
}

const errorOf = (error: object) => read({ kind: 'error', error }).errors[0];

test('an error has the place of its first stack frame in the script’s files', () => {
  const stack = `Error: no
    at check (/home/check/node_modules/chai/index.js:1:2)
    at file:///home/check/lib/shop.mjs:7:9
    at /home/check/script.mjs:3:1`;
  assert.deepEqual(errorOf({ message: 'no', stack })?.place, { file: 'lib/shop.mjs', line: 7, column: 9 });
});

test('parses malicious stacks and messages quickly', () => {
  const beginning = performance.now();
  assert.equal(errorOf({ message: 'no', stack: 'at /'.repeat(1e6) })?.place, null);
  assert.equal(errorOf({ message: 'no', stack: `at /${':1'.repeat(1e6)}\n`.repeat(2) })?.place, null);
  assert.match(errorOf({ message: `\u001B[${';#'.repeat(5e5)}` })?.message ?? '', / …$/);
  assert.ok(performance.now() - beginning < 20_000);
});

test('the current step is the last one reported, and flaky tests are listed first', () => {
  const report = emptyReport();
  const readLine = (reported: object): void => readReportLine(report, JSON.stringify(reported), deps);
  const location = { file: '/home/check/script.mjs', line: 3, column: 1 };
  readLine({ kind: 'open', what: 'click hunter22', location });
  assert.deepEqual(report.openStep, {
    message: 'click ********',
    place: { file: 'script.mjs', line: 3, column: 1 },
  });
  readLine({ kind: 'open' });
  assert.equal(report.openStep, null);
  for (let index = 0; index < 100; index++) readLine({ kind: 'flaky', title: `${index}` });
  assert.deepEqual([report.flaky.length, report.flaky[0]], [10, '0']);
});

test('an asset is inside its folder, whatever the run reports', () => {
  const fileOf = (file: unknown) => read({ kind: 'asset', sort: 'trace', file }).assets[0]?.file;
  assert.equal(fileOf('0123456789abcdef01234567'), '0123456789abcdef01234567');
  for (const file of ['../../../etc/passwd', '/etc/passwd', '..', '', 'a/b', null, 7, {}])
    assert.equal(fileOf(file), null);
  assert.deepEqual(read({ kind: 'asset', sort: 'program', file: '0123456789abcdef01234567' }).assets, []);
});

test('removes terminal colors', () => {
  assert.equal(errorOf({ message: '\u001B[31mno\u001B[39m \u001B]8;;x\u0007link' })?.message, 'no link');
});

test('masks before truncating', () => {
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
