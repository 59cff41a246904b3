// Foreign YAML is read up to its limits, and refused with the limit and the place above them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImportError } from './imported.ts';
import { parseYaml } from './yaml.ts';

const refusal = (text: string): string => {
  try {
    parseYaml(text);
  } catch (error) {
    if (error instanceof ImportError) return error.message;
    throw error;
  }
  return '';
};

/** Lists in lists; the map at the top is a level. */
const nested = (levels: number): string => `a: ${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)}`;
const aliases = (count: number): string => `a: &a 1\nb:\n${'  - *a\n'.repeat(count)}`;
/** A list of 1,000 values, and as often as it fits in another list. */
const values = (count: number): string => {
  const rest = count - 1005;
  return `a: &a [${'1, '.repeat(1000)}]\nb: [${'*a, '.repeat(rest / 1001)}${'1, '.repeat(rest % 1001)}]`;
};

const cases: readonly (readonly [what: string, of: (size: number) => string, most: number, message: RegExp])[] = [
  ['levels', nested, 50, /^line 1, column \d+: is nested more than 50 levels deep$/],
  ['aliases', aliases, 5000, /^line 5003, column 5: the file has more than 5000 aliases$/],
  ['values', values, 200_000, /^line \d+, column \d+: the file has more than 200000 values, aliases expanded$/],
];
for (const [what, of, most, message] of cases) {
  test(`a file with ${most} ${what} is read, one with more is refused`, () => {
    assert.equal(refusal(of(most)), '');
    assert.match(refusal(of(most + 1)), message);
  });
}

test('an anchor may be used more often than the parser allows by default', () => {
  const { endpoints } = parseYaml(
    `x: &common {interval: 1m}\nendpoints:\n${'- {<<: *common, name: a}\n'.repeat(2000)}`,
  );
  assert.deepEqual((endpoints as object[])[1999], { interval: '1m', name: 'a' });
});

test('aliases that multiply, and anchors that contain themselves, are refused at their place', () => {
  const levels = Array.from({ length: 40 }, (_, level) => {
    return `x${level}: &l${level} [${level === 0 ? '1' : `*l${level - 1}, *l${level - 1}`}]`;
  });
  assert.match(refusal(levels.join('\n')), /^line \d+, column \d+: the file has more than 200000 values/);
  assert.equal(refusal('a: &a\n  b: *a'), 'line 2, column 6: there is no anchor &a above');
});
