// A report is written as it is read, and no further than somebody waits for it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { AnalyticsActions } from '#actions/results/analytics.ts';
import type { ReportedCheck } from '#actions/results/reports.ts';
import { emptyRollUp } from '#domain/results/roll-up.ts';
import { analyticsRoutes } from './analytics.ts';
import { type AnyCall, JsonText } from '../route.ts';

const check: ReportedCheck = {
  checkId: 'one',
  name: 'Shop',
  checkType: 'API',
  activated: true,
  tags: [],
  total: emptyRollUp(),
  periods: [],
};

/** Asks for a report whose caller goes when a number of its pieces were read; answers with how many were. */
async function readOf(pieces: number, goneAfter: number): Promise<{ readonly read: number; readonly answer: unknown }> {
  const gone = new AbortController();
  let read = 0;
  async function* report(): AsyncIterable<readonly ReportedCheck[]> {
    while (read < pieces) {
      read++;
      if (read === goneAfter) gone.abort();
      yield [check, check];
    }
  }
  const routes = analyticsRoutes({} as AnalyticsActions, { report });
  const found = routes.find(({ id }) => id === 'getReport') ?? assert.fail('there is no report');
  const call = { query: { quickRange: 'last24Hrs' }, signal: gone.signal } as unknown as AnyCall;
  return { answer: await found.run(call), read };
}

it('a report has the checks of all of its pieces', async () => {
  const { read, answer } = await readOf(5, Infinity);
  assert.equal(read, 5);
  assert.ok(answer instanceof JsonText);
  assert.equal((JSON.parse(answer.text.toString()) as unknown[]).length, 10);
});

it('of a report whose caller has gone no further piece is read', async () => {
  assert.equal((await readOf(5, 2)).read, 2);
});
