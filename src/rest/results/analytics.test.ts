// A report is written while it is read, and only as long as the caller waits.
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

/** Requests a report with a caller that disconnects after some pieces; returns how many were read. */
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
  const found = routes.find(({ id }) => id === 'getReport') ?? assert.fail('there is no report operation');
  const call = { query: { quickRange: 'last24Hrs' }, signal: gone.signal } as unknown as AnyCall;
  return { answer: await found.run(call), read };
}

it('a report contains the checks of all its pieces', async () => {
  const { read, answer } = await readOf(5, Infinity);
  assert.equal(read, 5);
  assert.ok(answer instanceof JsonText);
  assert.equal((JSON.parse(answer.text.toString()) as unknown[]).length, 10);
});

it('stops reading a report once its caller has disconnected', async () => {
  assert.equal((await readOf(5, 2)).read, 2);
});
