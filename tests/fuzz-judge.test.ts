// The template fuzz detects every planted violation, and the same seed creates the same cases.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, beforeEach, test } from 'node:test';
import type { Message } from '#domain/deliveries/delivery.ts';
import { judgeCase, type Subject, fuzzTemplates, service } from '../bench/fuzz/templates.ts';
import { templateCase } from '../bench/fuzz/template-cases.ts';
import { watchProcess } from '../bench/fuzz/side-effects.ts';

const plain = { source: '{{CHECK_NAME}}', field: 'template', variables: { CHECK_NAME: 'Shop' } } as const;
const request: Message = { method: 'POST', url: 'https://receiver.example/', headers: [], body: 'Shop' };

/** What is noticed of a subject that does something beside its work. */
function violationsOf(change: Partial<Subject>): readonly string[] {
  const watch = watchProcess();
  try {
    return judgeCase({ ...service, ...change }, plain, watch).violations;
  } finally {
    watch.end();
  }
}

/** Works for so long, whatever else the machine does. */
function busy(ms: number): void {
  const before = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(before);
    if (user + system > ms * 1000) return;
  }
}

let count = 0;
beforeEach(() => {
  count = 0;
});
after(() => Reflect.deleteProperty(Object.prototype, 'planted'));

const planted: Readonly<Record<string, readonly [change: Partial<Subject>, violation: RegExp]>> = {
  'a save that takes too long': [{ save: () => (busy(60), []) }, /^saving took \d+\.\d ms$/],
  'a save that throws': [
    {
      save() {
        throw new RangeError('planted');
      },
    },
    /^saving threw RangeError: planted$/,
  ],
  'a refusal at no place': [{ save: () => [{ message: 'no', line: 99, column: 1 }] }, /a place that does not exist/],
  'a rendering that takes too long': [{ render: () => (busy(30), request) }, /^rendering took \d+\.\d ms$/],
  'an error of another type': [
    {
      render() {
        throw new TypeError('planted');
      },
    },
    /^rendering threw TypeError: planted$/,
  ],
  'too much output': [{ render: () => ({ ...request, body: 'x'.repeat(400_000) }) }, /^printed \d+ characters$/],
  'two different renderings': [{ render: () => ({ ...request, body: String(count++) }) }, /^two renderings/],
  'a file that is read': [
    { render: () => ({ ...request, body: readFileSync('/dev/null', 'utf8') }) },
    /^file: readFileSync/,
  ],
  'an environment variable that is read': [
    { render: () => ({ ...request, body: process.env['HOME'] ?? '' }) },
    /^environment: read HOME$/,
  ],
  'a log line': [{ render: () => (process.stderr.write(''), request) }, /^logged: write$/],
  'a changed prototype': [
    {
      render() {
        // oxlint-disable-next-line no-extend-native -- the violation that must be noticed
        Object.defineProperty(Object.prototype, 'planted', { value: 1, configurable: true });
        return request;
      },
    },
    /^Object\.prototype has changed$/,
  ],
};

for (const [what, [change, violation]] of Object.entries(planted)) {
  test(`the fuzz of templates notices ${what}`, () => {
    // It has thousands of cases: what a busy machine hides in one of them, as a second rendering after a slow one, shows in the next.
    let violations: readonly string[] = [];
    for (let tries = 0; tries < 20 && !violations.some((found) => violation.test(found)); tries++)
      violations = violationsOf(change);
    assert.ok(
      violations.some((found) => violation.test(found)),
      JSON.stringify(violations),
    );
  });
}

test('the fuzz of templates notices memory that grows', () => {
  const kept: string[][] = [];
  const render = (): Message => {
    kept.push(Array.from({ length: 100_000 }, () => 'x'));
    return request;
  };
  const { violations } = fuzzTemplates({ ...service, save: () => [], render }, { seed: 1, count: 40 });
  assert.match(violations.at(-1) ?? '', /^memory grew from/);
});

test('the fuzz of templates finds nothing in the service, whatever else it tries', () => {
  assert.deepEqual(violationsOf({}), []);
  const outcome = fuzzTemplates(service, { seed: 7, count: 300 });
  assert.deepEqual(outcome.violations, []);
  const rendered = outcome.endings.get('rendered') ?? 0;
  assert.ok(rendered > 50 && rendered < 250, `${rendered} of 300 cases were rendered`);
});

test('a case follows from its seed and number alone', () => {
  assert.deepEqual(templateCase(5, 123), templateCase(5, 123));
  assert.notDeepEqual(templateCase(5, 123), templateCase(5, 124));
  assert.notDeepEqual(templateCase(5, 123), templateCase(6, 123));
});
