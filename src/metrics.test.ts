// What Prometheus reads of the scheduler, and of checks.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { noFigures } from '../tests/support/no-figures.ts';
import { createMetrics } from './metrics.ts';

it('the lag of the scheduler is the longest since the last scrape', async (t) => {
  const metrics = createMetrics(noFigures, {
    probeLoopDelayMs: () => 0,
    now: () => 0,
    ownProcess: () => null,
    showsChecks: true,
  });
  t.after(() => metrics.stop());
  const lag = async (): Promise<string | undefined> =>
    /^tocsin_schedule_lag_seconds (.*)$/m.exec(await metrics.registry.metrics())?.[1];
  metrics.onScheduled({ missed: 0, latestByMs: 1500 });
  metrics.onScheduled({ missed: 0, latestByMs: 20 });
  assert.deepEqual([await lag(), await lag()], ['1.5', '0']);
});

it('states of checks are told where that is asked for, and read from the database nowhere else', async (t) => {
  let reads = 0;
  const state = { accountId: 'a', checkId: 'c', name: 'Cart', status: 'failing', responseTimeMs: 12 };
  const checkStates = () => Promise.resolve(++reads > 0 ? [state] : []);
  const scrape = async (showsChecks: boolean): Promise<string> => {
    const sources = { probeLoopDelayMs: () => 0, now: () => 0, ownProcess: () => null, showsChecks };
    const metrics = createMetrics({ ...noFigures, checkStates }, sources);
    t.after(() => metrics.stop());
    return metrics.registry.metrics();
  };
  assert.doesNotMatch(await scrape(false), /tocsin_check_/);
  assert.equal(reads, 0);
  assert.match(await scrape(true), /^tocsin_check_state\{account="a",check="c",name="Cart"\} 2$/m);
});
