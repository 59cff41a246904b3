// The longest gap of a cron expression is how long a job may be silent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longestGap } from './import-healthchecks.ts';

const hour = 3600;

test('the longest gap of a schedule is found, over nights and weekends', () => {
  for (const [expression, seconds] of [
    ['* * * * *', 60],
    ['*/15 * * * *', 900],
    ['0,30 * * * *', 1800],
    ['15 5 * * *', 24 * hour],
    ['0 9-17 * * *', 16 * hour],
    ['0 5 * * 1-5', 72 * hour],
    ['0 5 * * mon', 168 * hour],
    ['0 0 1 * *', 31 * 24 * hour],
    ['0 0 13 * fri', 168 * hour],
  ] as const) {
    assert.equal(longestGap(expression), seconds, expression);
  }
});

test('what is no schedule of five fields is refused', () => {
  for (const expression of ['', '* * * *', '61 * * * *', '*/0 * * * *', '0 0 30 2 *', 'Mon..Fri 09:00', '@daily']) {
    assert.equal(longestGap(expression), null, expression);
  }
});
