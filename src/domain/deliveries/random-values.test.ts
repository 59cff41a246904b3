// Random values in templates: both bounds are reached and never exceeded.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemRandom } from '#lib/random.ts';
import { createRandom } from '../../../bench/chaos/random.ts';
import { randomValues } from './random-values.ts';

it('$RANDOM_NUMBER reaches every number from 0 to 1000, with equal frequency', () => {
  const random = createRandom(20_261_121);
  const draws = 200_000;
  const counts = new Map<number, number>();
  for (let draw = 0; draw < draws; draw++) {
    const { randomNumber } = randomValues({ uuid: () => '', fraction: random });
    counts.set(randomNumber, (counts.get(randomNumber) ?? 0) + 1);
  }
  assert.deepEqual(
    [...counts.keys()].toSorted((a, b) => a - b),
    Array.from({ length: 1001 }, (_, number) => number),
  );
  // On average 200 of each; six standard deviations are 85.
  for (const [number, count] of counts) assert.ok(count > 115 && count < 285, `${number} came ${count} times`);
});

it('$RANDOM_NUMBER is 0 at the lower bound of its source and 1000 at the upper bound', () => {
  const of = (fraction: number) => randomValues({ uuid: () => 'u', fraction: () => fraction });
  assert.deepEqual(
    [of(0), of(1 - 2 ** -47)],
    [
      { uuid: 'u', randomNumber: 0 },
      { uuid: 'u', randomNumber: 1000 },
    ],
  );
});

it('the machine’s own source stays within its bounds', () => {
  const fractions = Array.from({ length: 1000 }, () => systemRandom.fraction());
  assert.ok(fractions.every((fraction) => fraction >= 0 && fraction < 1));
  assert.ok(new Set(fractions).size > 990);
  assert.match(systemRandom.uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
});
