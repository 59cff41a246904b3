// JSON assertions: multiple matches, long numbers, and evaluation errors.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { JsonValue } from '#domain/json.ts';
import { compileAssertion } from './assertion.ts';
import { comparisonsOf } from './sources.ts';
import { evaluateAll } from './evaluate.ts';
import type { Outcome } from './sentence.ts';
import { decodeAssertion, encodeAssertion } from './stored.ts';

function outcomeOf(comparison: string, property: string, target: string, text: string): Outcome {
  const written = { source: 'JSON_BODY', comparison, property, target, regex: '' };
  const assertion = compileAssertion(written, ['JSON_BODY']);
  if (typeof assertion === 'string') return assert.fail(assertion);
  const hidesNothing = { text: (shown: string) => shown, longest: 0 };
  return evaluateAll([assertion], { values: {}, text: () => text }, hidesNothing)[0] ?? assert.fail();
}

test('a comparison must hold for every match, unless any or count is used', () => {
  const text = JSON.stringify({
    items: [{ n: 7 }, { n: 3 }, { n: 9 }],
    s: [{ status: 'ok' }, { status: 'down' }],
    none: [],
  });
  const cases: [comparison: string, property: string, target: string, passed: boolean][] = [
    ['LESS_THAN', '$.items[*].n', '5', false],
    ['LESS_THAN', '$.items[*].n', '10', true],
    ['GREATER_THAN', '$.items[*].n', '2', true],
    ['NOT_EQUALS', '$.s[*].status', 'down', false],
    ['NOT_EQUALS', '$..status', 'lost', true],
    ['EQUALS', '$.s[*].status', 'ok', false],
    ['EQUALS', '$.s[?@.status == "ok"].status', 'ok', true],
    ['CONTAINS', '$.s[*].status', 'o', true],
    ['NOT_CONTAINS', '$.s[*].status', 'own', false],
    ['HAS_KEY', '$.items[*]', 'n', true],
    ['NOT_HAS_KEY', '$[*][*]', 'n', false],
    ['IS_EMPTY', '$.s[*].status', '', false],
    ['NOT_NULL', '$.items[*].n', '', true],
    ['HAS_VALUE', '$.items[*].n', '3', true],
    ['HAS_VALUE', '$.items[*].n', '4', false],
    ['NOT_HAS_VALUE', '$.items[*].n', '4', true],
    ['NOT_HAS_VALUE', '$.items[*].n', '3', false],
    ['LESS_THAN', 'any($.items[*].n)', '5', true],
    ['LESS_THAN', 'any($.items[*].n)', '3', false],
    ['EQUALS', 'any($.s[*].status)', 'down', true],
    ['EQUALS', 'count($.items[*])', '3', true],
    ['LESS_THAN', 'count($.items[?@.n > 5])', '2', false],
    ['EQUALS', 'count($.missing)', '0', true],
  ];
  for (const [comparison, property, target, passed] of cases) {
    assert.equal(outcomeOf(comparison, property, target, text).passed, passed, `${comparison} ${property} ${target}`);
  }
});

test('without a match only IS_EMPTY and IS_NULL hold', () => {
  const text = '{"none": []}';
  for (const comparison of comparisonsOf('JSON_BODY')) {
    const isNothing = comparison === 'IS_EMPTY' || comparison === 'IS_NULL';
    const every = outcomeOf(comparison, '$.none[*].n', '5', text);
    assert.deepEqual(
      [every.passed, every.problem],
      isNothing ? [true, null] : [false, 'the path matches nothing'],
      comparison,
    );
    assert.equal(outcomeOf(comparison, 'any($.none[*])', '5', text).passed, false, comparison);
    assert.equal(outcomeOf(comparison, 'any($.absent)', '5', text).passed, false, comparison);
  }
});

test('compares numbers of any length exactly', () => {
  const text =
    '{"id": 9007199254740993, "ids": [9007199254740993], "x": 0.30000000000000004, "e": 1e400, "s": "0010", "long": 0.1000000000000000055, ' +
    '"big": 1e21, "bigs": [1e21], "small": -0.0000001}';
  const cases: [comparison: string, property: string, target: string, passed: boolean][] = [
    ['EQUALS', '$.id', '9007199254740993', true],
    ['EQUALS', '$.id', '9007199254740992', false],
    ['NOT_EQUALS', '$.id', '9007199254740992', true],
    ['GREATER_THAN', '$.id', '9007199254740992', true],
    ['LESS_THAN', '$.id', '9007199254740993', false],
    ['EQUALS', '$.ids', '[9007199254740993]', true],
    ['EQUALS', '$.ids', '[9007199254740992]', false],
    ['CONTAINS', '$.ids', '9007199254740992', false],
    ['EQUALS', '$.ids[*]', '9007199254740993', true],
    ['EQUALS', '$.x', '0.3', false],
    ['EQUALS', '$.x', '30000000000000004e-17', true],
    ['EQUALS', '$.long', '0.1', false],
    ['GREATER_THAN', '$.long', '0.1', true],
    ['GREATER_THAN', '$.e', '1e399', true],
    ['LESS_THAN', '$.s', '11', true],
    ['EQUALS', '$.s', '10', false],
    ['CONTAINS', '$.big', '1e21', true],
    ['NOT_CONTAINS', '$.big', 'e+', true],
    ['NOT_CONTAINS', '$.big', '1e21', false],
    ['EQUALS', '$.big', '1000000000000000000000', true],
    ['EQUALS', '$.bigs', '[1000000000000000000000]', true],
    ['NOT_CONTAINS', '$.small', '0.0000001', false],
    ['CONTAINS', '$.small', 'e', false],
    ['CONTAINS', '$.id', '993', true],
    ['NOT_CONTAINS', '$.id', '0992', true],
  ];
  for (const [comparison, property, target, passed] of cases) {
    assert.equal(outcomeOf(comparison, property, target, text).passed, passed, `${comparison} ${property} ${target}`);
  }
});

test('fails with the reason if the document or target is nested too deeply', () => {
  const deep = '['.repeat(40_000) + ']'.repeat(40_000);
  for (const [comparison, property] of [
    ['EQUALS', '$'],
    ['NOT_EQUALS', '$.a'],
    ['NOT_EMPTY', '$..*'],
    ['NOT_CONTAINS', '$'],
  ] as const) {
    const { passed, problem } = outcomeOf(comparison, property, '1', deep);
    assert.deepEqual([passed, problem], [false, 'the JSON is nested more than 200 levels deep'], comparison);
  }
  assert.equal(outcomeOf('EQUALS', '$', deep, '[1]').passed, false);
  const fine = `${'['.repeat(200)}1${']'.repeat(200)}`;
  assert.equal(outcomeOf('EQUALS', '$', fine, fine).passed, true);
  assert.equal(outcomeOf('HAS_VALUE', '$..*', '1', fine).passed, true);
});

test('compares a long list with a long target in time', () => {
  const text = JSON.stringify(Array.from({ length: 100_000 }, (_, index) => ({ index })));
  const before = process.threadCpuUsage();
  const target = JSON.stringify(Array.from({ length: 3000 }, (_, index) => index));
  assert.equal(outcomeOf('CONTAINS', '$', target, text).passed, false);
  assert.equal(cpuMsSince(before) < 1000, true);
});

test('a stored result still shows which match was compared', () => {
  const stored = (comparison: string, property: string): string => {
    const written = {
      comparison: comparison as 'EQUALS',
      property,
      target: '5',
      source: 'JSON_BODY',
      regex: null,
    } as const;
    const outcome = outcomeOf(comparison, property, '5', '{"n": [1, 9]}');
    return decodeAssertion([...(encodeAssertion({ ...written, ...outcome }) as readonly JsonValue[])], () => null)
      .message;
  };
  assert.equal(stored('LESS_THAN', '$.n[*]'), 'expected every match of $.n[*] to be less than 5, got 9 (match 2)');
  assert.equal(stored('NOT_EQUALS', '$.n[*]'), 'every match of $.n[*] does not equal 5');
  assert.equal(stored('EQUALS', 'any($.n[*])'), 'expected any($.n[*]) to equal 5, got [1,9] (none of 2 matches)');
  assert.equal(stored('EQUALS', 'count($.n[*])'), 'expected count($.n[*]) to equal 5, got 2');
});

test('rejects an unknown function around a path and lists the supported ones', () => {
  for (const property of ['any($.items[*].name', 'all($.items[*].name)']) {
    const settings = { source: 'JSON_BODY', property, comparison: 'EQUALS', target: '1', regex: '' } as const;
    const compiled = compileAssertion(settings, ['JSON_BODY']);
    assert.match(
      typeof compiled === 'string' ? compiled : '',
      /is not a JSON path: .*; write any\(<path>\) or count\(<path>\) around a path$/,
    );
  }
});

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
