// Assertions: every comparison of every source, and its negation.
import assert from 'node:assert/strict';
import test from 'node:test';
import { httpSources } from '../http/schema.ts';
import { compileAssertion as compileOf, type AssertionSettings } from './assertion.ts';
import { type Comparison, comparisons, comparisonsOf } from './sources.ts';
import { evaluateAll } from './evaluate.ts';
import type { Observation } from './evaluator.ts';
import { type Outcome, sentence } from './sentence.ts';

const compileAssertion = (settings: AssertionSettings) => compileOf(settings, httpSources);

const document = {
  text: 'hello',
  empty: '',
  number: 42,
  figure: '42',
  yes: true,
  nothing: null,
  list: ['a', 'b', 3],
  none: [],
  object: { key: 'value', n: 1 },
  hollow: {},
};
const headers = { 'content-type': 'application/json', 'x-n': '42', 'x-empty': '', 'set-cookie': ['a=1', 'b=2'] };

const hidesNothing = { text: (text: string) => text, longest: 0 };
const answerWith = (text: string): Observation => ({
  values: { STATUS_CODE: 201, RESPONSE_TIME: 123.4, HEADERS: headers },
  text: () => text,
});

function outcomeOf(
  source: string,
  comparison: string,
  property: string,
  target: string,
  regex = '',
  text = JSON.stringify(document),
): Outcome {
  const assertion = compileAssertion({ source, comparison, property, target, regex });
  if (typeof assertion === 'string') return assert.fail(assertion);
  return evaluateAll([assertion], answerWith(text), hidesNothing)[0] ?? assert.fail();
}

/** Each case holds; the negated comparison must not. */
const negated: Partial<Record<Comparison, Comparison>> = {
  EQUALS: 'NOT_EQUALS',
  HAS_KEY: 'NOT_HAS_KEY',
  HAS_VALUE: 'NOT_HAS_VALUE',
  IS_EMPTY: 'NOT_EMPTY',
  CONTAINS: 'NOT_CONTAINS',
  IS_NULL: 'NOT_NULL',
};
const table: Record<
  string,
  readonly (readonly [comparison: Comparison, property: string, target: string, holds: boolean])[]
> = {
  STATUS_CODE: [
    ['EQUALS', '', '201', true],
    ['EQUALS', '', '200', false],
    ['GREATER_THAN', '', '200', true],
    ['GREATER_THAN', '', '201', false],
    ['LESS_THAN', '', '202', true],
    ['LESS_THAN', '', '201', false],
  ],
  RESPONSE_TIME: [
    ['EQUALS', '', '123.4', true],
    ['EQUALS', '', '123', false],
    ['GREATER_THAN', '', '123', true],
    ['GREATER_THAN', '', '124', false],
    ['LESS_THAN', '', '124', true],
    ['LESS_THAN', '', '100', false],
  ],
  HEADERS: [
    ['EQUALS', 'Content-Type', 'application/json', true],
    ['EQUALS', 'content-type', 'application/xml', false],
    ['EQUALS', 'x-missing', '', false],
    ['HAS_KEY', '', 'X-N', true],
    ['HAS_KEY', '', 'x-missing', false],
    ['HAS_KEY', 'X-N', '', true],
    ['HAS_KEY', 'x-missing', '', false],
    ['HAS_VALUE', '', '42', true],
    ['HAS_VALUE', 'x-n', '43', false],
    ['IS_EMPTY', 'x-empty', '', true],
    ['IS_EMPTY', 'x-missing', '', true],
    ['IS_EMPTY', 'x-n', '', false],
    ['GREATER_THAN', 'x-n', '41', true],
    ['GREATER_THAN', 'content-type', '1', false],
    ['LESS_THAN', 'x-n', '43', true],
    ['LESS_THAN', 'x-empty', '43', false],
    ['CONTAINS', 'content-type', 'json', true],
    ['CONTAINS', 'set-cookie', 'b=2', true],
    ['CONTAINS', 'content-type', 'xml', false],
    ['IS_NULL', 'x-missing', '', true],
    ['IS_NULL', 'x-empty', '', false],
  ],
  TEXT_BODY: [
    ['EQUALS', '', JSON.stringify(document), true],
    ['EQUALS', '', 'hello', false],
    ['IS_EMPTY', '', '', false],
    ['GREATER_THAN', '"number":(\\d+)', '41', true],
    ['LESS_THAN', '"number":(\\d+)', '42', false],
    ['CONTAINS', '', '"text":"hello"', true],
    ['CONTAINS', '', 'goodbye', false],
    ['IS_NULL', 'goodbye', '', true],
    ['IS_NULL', '', '', false],
  ],
  JSON_BODY: [
    ['EQUALS', '$.text', 'hello', true],
    ['EQUALS', '$.text', '"hello"', false],
    ['EQUALS', '$.number', '42', true],
    ['EQUALS', '$.number', '42.0', true],
    ['EQUALS', '$.number', '', false],
    ['EQUALS', '$.yes', 'true', true],
    ['EQUALS', '$.nothing', 'null', true],
    ['EQUALS', '$.list', '["a", "b", 3]', true],
    ['EQUALS', '$.object', '{"n":1,"key":"value"}', true],
    ['EQUALS', '$.object', 'not json', false],
    ['EQUALS', '$.missing', '', false],
    ['EQUALS', '$.list[?@ == "b"]', 'b', true],
    ['HAS_KEY', '', 'text', true],
    ['HAS_KEY', '$.object', 'key', true],
    ['HAS_KEY', '$.object', 'toString', false],
    ['HAS_KEY', '$.list', '2', true],
    ['HAS_KEY', '$.list', 'length', false],
    ['HAS_KEY', '$.text', '0', false],
    ['HAS_VALUE', '$.list', '3', true],
    ['HAS_VALUE', '$.list[*]', 'a', true],
    ['HAS_VALUE', '$.object', 'value', true],
    ['HAS_VALUE', '$.object', 'key', false],
    ['IS_EMPTY', '$.empty', '', true],
    ['IS_EMPTY', '$.none', '', true],
    ['IS_EMPTY', '$.hollow', '', true],
    ['IS_EMPTY', '$.missing', '', true],
    ['IS_EMPTY', '$.number', '', false],
    ['IS_EMPTY', '$.list', '', false],
    ['GREATER_THAN', '$.number', '41.5', true],
    ['GREATER_THAN', '$.figure', '41', true],
    ['GREATER_THAN', '$.list', '2', true],
    ['GREATER_THAN', '$.text', '0', false],
    ['LESS_THAN', '$.number', '43', true],
    ['LESS_THAN', '$.missing', '43', false],
    ['LESS_THAN', '$.nothing', '43', false],
    ['CONTAINS', '$.text', 'ell', true],
    ['CONTAINS', '$.list', 'b', true],
    ['CONTAINS', '$.list', 'c', false],
    ['CONTAINS', '$.object', 'key', true],
    ['CONTAINS', '$.number', '4', true],
    ['CONTAINS', '$.missing', '', false],
    ['IS_NULL', '$.nothing', '', true],
    ['IS_NULL', '$.missing', '', true],
    ['IS_NULL', '$.empty', '', false],
  ],
};

for (const source of httpSources) {
  const cases = table[source] ?? [];
  test(`${source}: evaluates each comparison and its negation`, () => {
    const tried = new Set<Comparison>();
    for (const [comparison, property, target, holds] of cases) {
      const opposite = negated[comparison];
      for (const each of opposite === undefined ? [comparison] : [comparison, opposite]) {
        const expected = each === comparison ? holds : !holds;
        assert.equal(outcomeOf(source, each, property, target).passed, expected, `${each} ${property} ${target}`);
        tried.add(each);
      }
    }
    assert.deepEqual([...tried].toSorted(), [...comparisonsOf(source)].toSorted());
  });
}

test('rejects a comparison that the source does not support and lists those it does', () => {
  for (const source of httpSources) {
    for (const comparison of comparisons.filter((each) => !comparisonsOf(source).includes(each))) {
      const problem = compileAssertion({ source, comparison, property: '', target: '1', regex: '' });
      assert.match(
        problemText(problem),
        new RegExp(`"${comparison}" is not a comparison for ${source}; use one of EQUALS`),
      );
    }
  }
  assert.match(
    problemText(compileAssertion({ source: 'BODY', comparison: 'EQUALS', property: '', target: '', regex: '' })),
    /use one of STATUS_CODE/,
  );
});

test('a regular expression selects its first group or match in a header or text', () => {
  assert.equal(outcomeOf('HEADERS', 'EQUALS', 'content-type', 'json', 'application/(\\w+)').passed, true);
  assert.equal(outcomeOf('HEADERS', 'EQUALS', 'set-cookie', 'b=2', 'b=\\d').passed, true);
  assert.equal(outcomeOf('TEXT_BODY', 'EQUALS', '', '42', '"number":(\\d+)').passed, true);
  assert.equal(outcomeOf('TEXT_BODY', 'IS_NULL', '', '', 'v=(\\d+)').passed, true);
});

test('a value that does not exist satisfies only IS_EMPTY and IS_NULL, unless an older version saved the assertion', () => {
  const text = JSON.stringify({ list: [], user: {}, nothing: null });
  const passes = (settings: Omit<AssertionSettings, 'target'>): boolean => {
    const assertion = compileAssertion({ target: 'x', ...settings });
    if (typeof assertion === 'string') return assert.fail(assertion);
    return evaluateAll([assertion], answerWith(text), hidesNothing)[0]?.passed ?? assert.fail();
  };
  for (const [source, property, regex] of [
    ['JSON_BODY', '$.list[0].status', ''],
    ['JSON_BODY', '$.list[*].status', ''],
    ['JSON_BODY', '$.missing.status', ''],
    ['HEADERS', 'x-missing', ''],
    ['HEADERS', 'content-type', 'charset=(.*)'],
    ['TEXT_BODY', '', 'version (.*)'],
    ['TEXT_BODY', 'version (.*)', ''],
  ] as const) {
    const ofHeader = source === 'HEADERS' && regex === '' ? ['NOT_HAS_KEY'] : [];
    const held = comparisonsOf(source).filter((comparison) => {
      const target = comparison.endsWith('THAN') ? '5' : 'x';
      const settings = { source, property, regex, comparison, target };
      const strict = passes({ ...settings, passesIfAbsent: false });
      const isOlder = comparison.startsWith('NOT_') && comparison !== 'NOT_EMPTY' && comparison !== 'NOT_NULL';
      const isSame = !isOlder || property === '$.list[*].status' || ofHeader.includes(comparison);
      assert.equal(passes(settings), isSame ? strict : true, `${comparison} ${property}, saved by an older version`);
      return strict;
    });
    assert.deepEqual(held.toSorted(), ['IS_EMPTY', 'IS_NULL', ...ofHeader].toSorted(), `${source} ${property}`);
  }
  const strict = { source: 'JSON_BODY', comparison: 'NOT_HAS_KEY', regex: '', passesIfAbsent: false };
  assert.equal(passes({ ...strict, property: '$.user' }), true, 'its parent exists');
  assert.equal(passes({ ...strict, property: '$.nothing', comparison: 'NOT_EQUALS' }), true, 'null exists');
  assert.equal(passes({ ...strict, property: 'count($.list[*])', comparison: 'NOT_EQUALS' }), true, 'a count exists');
});

/** Evaluates again if this machine was too busy. */
function evaluated(evaluate: () => Outcome[]): Outcome[] {
  for (let tries = 1; ; tries++) {
    const started = process.threadCpuUsage();
    const outcomes = evaluate();
    // Half of the budget, then four times as much on a busy machine, plus overhead.
    assert.equal(cpuMsSince(started) < 3000, true);
    if (tries === 10 || !outcomes.some(({ isOurs }) => isOurs === true)) return outcomes;
  }
}

test('a regular expression proves nothing about the part of a text beyond the limit', () => {
  const text = `${'x'.repeat(70_000)}Fatal error: disk`;
  for (const [comparison, target] of [
    ['IS_EMPTY', ''],
    ['IS_NULL', ''],
    ['NOT_EQUALS', 'disk'],
  ] as const) {
    const outcome = outcomeOf('TEXT_BODY', comparison, '', target, 'Fatal error: (.*)', text);
    assert.deepEqual([outcome.passed, outcome.problem], [false, 'a regular expression searches only the first 64 kB']);
  }
  assert.equal(outcomeOf('TEXT_BODY', 'NOT_CONTAINS', '', 'Fatal', '[\\s\\S]*', text).passed, false);
  assert.equal(outcomeOf('TEXT_BODY', 'EQUALS', '', 'xxx', '^(x{3})', text).passed, true);
});

test('aborts an endless regular expression or JSON path and fails with the reason', () => {
  const hostile = 'a'.repeat(60);
  for (const regex of ['^(a|a)*$', '^(a+)+$', '(x+x+)+y|^(a*)*b', 'a*a*a*a*a*a*b']) {
    const text = `${hostile.repeat(regex.startsWith('a*') ? 100 : 1)}!`;
    const [outcome] = evaluated(() => [outcomeOf('TEXT_BODY', 'NOT_EMPTY', '', '', regex, text)]);
    assert.equal(outcome?.passed, false);
    assert.match(outcome.problem ?? '', /^evaluation takes longer than the 500 ms that all assertions/, regex);
  }
  const wide = JSON.stringify(Array.from({ length: 3000 }, (_, index) => ({ index })));
  const [path] = evaluated(() => [outcomeOf('JSON_BODY', 'IS_EMPTY', '$..[?count($..*) > 1]', '', '', wide)]);
  assert.match(path?.problem ?? '', /^evaluation takes longer than the 500 ms/);
  for (const call of ['match', 'search']) {
    const problem = compileAssertion({
      source: 'JSON_BODY',
      comparison: 'IS_NULL',
      property: `$[?${call}(@.a, '^(a|a)*$')]`,
      target: '',
      regex: '',
    });
    assert.match(problemText(problem), /match and search are not available/);
  }
});

test('all patterns of a check share one time limit, and the rest is reported', () => {
  const hostile = Array.from({ length: 50 }, () => ({
    source: 'TEXT_BODY',
    comparison: 'NOT_EMPTY',
    property: '',
    target: '',
    regex: '^{"a":"(a+)+"$',
  }));
  const others = [
    { source: 'STATUS_CODE', comparison: 'EQUALS', property: '', target: '201', regex: '' },
    { source: 'TEXT_BODY', comparison: 'CONTAINS', property: '', target: 'aaa', regex: '' },
    { source: 'JSON_BODY', comparison: 'NOT_EMPTY', property: '$..*', target: '', regex: '' },
  ];
  const assertions = [...hostile, ...others].map((each) => {
    const compiled = compileAssertion(each);
    return typeof compiled === 'string' ? assert.fail(compiled) : compiled;
  });
  const outcomes = evaluated(() => evaluateAll(assertions, answerWith(`{"a":"${'a'.repeat(60)}!"}`), hidesNothing));
  assert.match(outcomes[0]?.problem ?? '', /^evaluation takes longer/);
  const untried = 'it was not evaluated: the 500 ms that all assertions of a check share are used up';
  assert.deepEqual([...new Set(outcomes.slice(1, 50).map(({ problem }) => problem))], [untried]);
  assert.deepEqual(
    outcomes.slice(50).map(({ passed, problem }) => [passed, problem]),
    [
      [true, null],
      [true, null],
      [false, untried],
    ],
  );
});

test('a body that is not JSON fails every JSON assertion, negated ones too', () => {
  for (const comparison of comparisonsOf('JSON_BODY')) {
    const outcome = outcomeOf('JSON_BODY', comparison, '$.a', '1', '', '<html>');
    assert.deepEqual([outcome.passed, outcome.problem], [false, 'the body is not JSON']);
  }
});

test('a message shows expected and actual values, or what holds', () => {
  const say = (source: string, comparison: string, property: string, target: string, regex = ''): string => {
    const assertion = compileAssertion({ source, comparison, property, target, regex });
    if (typeof assertion === 'string') return assert.fail(assertion);
    return sentence(assertion, outcomeOf(source, comparison, property, target, regex));
  };
  assert.equal(say('STATUS_CODE', 'EQUALS', '', '200'), 'expected status code to equal 200, got 201');
  assert.equal(
    say('RESPONSE_TIME', 'LESS_THAN', '', '100'),
    'expected response time in ms to be less than 100, got 123.4',
  );
  assert.equal(say('JSON_BODY', 'EQUALS', '$.text', 'x'), 'expected $.text to equal "x", got "hello"');
  assert.equal(say('JSON_BODY', 'NOT_NULL', '$.missing', ''), 'expected $.missing not to be null, got nothing');
  assert.equal(
    say('HEADERS', 'HAS_KEY', '', 'x-a').slice(0, 62),
    'expected headers to have the key "x-a", got "{\\"content-type\\"',
  );
  assert.equal(
    say('TEXT_BODY', 'EQUALS', '', '1', 'number":(\\d+)'),
    'expected text body (the match of /number":(\\d+)/) to equal "1", got "42"',
  );
  assert.equal(say('JSON_BODY', 'EQUALS', '$.number', '0.3'), 'expected $.number to equal 0.3, got 42');
  assert.equal(
    say('JSON_BODY', 'LESS_THAN', '$.list[2,2]', '3'),
    'expected every match of $.list[2,2] to be less than 3, got 3 (match 1)',
  );
  assert.equal(
    say('JSON_BODY', 'HAS_VALUE', '$.list[*]', 'x'),
    'expected $.list[*] to have the value "x", got ["a","b",3] (none of 3 matches)',
  );
  assert.equal(
    say('JSON_BODY', 'NOT_EQUALS', '$.none[*]', 'x'),
    'expected every match of $.none[*] not to equal "x", but the path matches nothing',
  );
  assert.equal(say('JSON_BODY', 'EQUALS', 'count($.list[*])', '4'), 'expected count($.list[*]) to equal 4, got 3');
  assert.equal(say('JSON_BODY', 'NOT_EQUALS', '$.list[*]', 'x'), 'every match of $.list[*] does not equal "x"');
  assert.equal(say('JSON_BODY', 'EQUALS', '$.text', 'x'.repeat(5000)).length, 241);
  assert.equal(say('STATUS_CODE', 'EQUALS', '', '201'), 'status code equals 201');
  assert.equal(say('RESPONSE_TIME', 'LESS_THAN', '', '500'), 'response time in ms is less than 500');
  assert.equal(say('HEADERS', 'NOT_HAS_KEY', '', 'x-a'), 'header list does not have the key "x-a"');
  assert.equal(say('JSON_BODY', 'IS_NULL', '$.missing', ''), '$.missing is null');
  assert.equal(
    say('TEXT_BODY', 'EQUALS', '', '42', 'number":(\\d+)'),
    'text body (the match of /number":(\\d+)/) equals "42"',
  );
  assert.equal(outcomeOf('TEXT_BODY', 'EQUALS', '', '', '', 'x'.repeat(1000)).actual?.length, 201);
});

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function problemText(compiled: ReturnType<typeof compileAssertion>): string {
  return typeof compiled === 'string' ? compiled : assert.fail('the assertion was accepted');
}
