// The ledger on both engines: what is counted when it is due agrees with what became of it, and what is lost shows.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { differencesOf, isBalanced, type LedgerCounts, noStatuses } from '#domain/results/ledger.ts';
import type { Outcome } from '#domain/results/result.ts';
import { hourMs, hourOf } from '#domain/results/roll-up.ts';
import { newDelivery } from '#domain/deliveries/delivery.ts';
import { newId } from '#lib/id.ts';
import { it, type NewStore, onSqlite } from '../support/store/each-engine.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

const dayMs = 24 * hourMs;

async function ledgerOf(test: PathUnderTest, hours = 24): Promise<LedgerCounts> {
  const to = hourOf(test.now) + hourMs;
  const span = { from: to - hours * hourMs, to };
  const { ledger } = test.temp.store;
  return {
    runs: await ledger.runs(test.accountId, span),
    alerts: await ledger.alerts(test.accountId, span, span.from),
    deliveries: await ledger.deliveries(test.accountId, span, span.from),
  };
}

/** At the real time, which is that of IDs. */
const openNow = (newStore: NewStore): Promise<PathUnderTest> => PathUnderTest.open(newStore, Date.now());

const balanced = { runs: 0, alerts: 0, deliveries: 0 };

describe('the ledger', () => {
  onSqlite('accounts for every run, whatever became of it', async (newStore) => {
    await using test = await openNow(newStore);
    await test.check();
    for (const outcome of ['passed', 'degraded', 'failed', 'unknown'] as const satisfies readonly Outcome[]) {
      await test.runAll(outcome);
      test.temp.clock.advance(10_000);
    }
    // Nothing ran for two and a half hours: the slots are in three hours.
    test.temp.clock.advance(2.5 * hourMs);
    await test.schedule();
    const [claimed] = await test.claim();
    assert.ok(claimed);
    const { runs, ...others } = await ledgerOf(test);
    assert.deepEqual(differencesOf({ runs, ...others }), balanced);
    assert.deepEqual(runs.outcomes, { passed: 1, degraded: 1, failed: 1, unknown: 1, missed: 900 });
    assert.deepEqual([runs.scheduled, runs.onDemand, runs.running, runs.waiting], [905, 0, 1, 0]);
    const lastHour = await ledgerOf(test, 1);
    assert.ok(lastHour.runs.outcomes.missed > 0 && lastHour.runs.outcomes.missed <= 360, 'slots count in their hour');
    assert.equal(lastHour.runs.outcomes.passed, 0);
    assert.deepEqual(differencesOf(lastHour), balanced);
    test.temp.raw.exec('DELETE FROM runs');
    assert.deepEqual(differencesOf(await ledgerOf(test)), { ...balanced, runs: 1 }, 'a lost run shows');
  });

  onSqlite('accounts for every alert: with deliveries, without a channel, or muted', async (newStore) => {
    await using test = await openNow(newStore);
    const heard = await test.check();
    await test.check();
    await test.channel(heard);
    await test.channel(heard);
    await test.runAll('failed');
    test.temp.clock.advance(10_000);
    await test.runAll('passed');
    assert.deepEqual((await ledgerOf(test)).alerts, {
      raised: 4,
      muted: 0,
      expired: 0,
      notified: 2,
      suppressed: 0,
      unsubscribed: 2,
    });
    test.temp.clock.advance(10_000);
    await test.schedule();
    const rules = {
      escalation: { type: 'RUN_BASED', runs: 1 },
      isMuted: true,
      reminders: null,
      parallel: null,
    } as const;
    await test.record((await test.claim()).map((claimed) => test.ended(claimed, 'failed', { rules })));
    const ledger = await ledgerOf(test);
    assert.equal(ledger.alerts.muted, 2);
    assert.deepEqual(differencesOf(ledger), balanced);
    test.temp.raw.exec('DELETE FROM alerts WHERE channels = 0');
    assert.deepEqual(differencesOf(await ledgerOf(test)), { ...balanced, alerts: 2 }, 'lost alerts show');
  });

  it('accounts for the alert that a needed check suppresses', async (newStore) => {
    await using test = await openNow(newStore);
    const database = await test.check({ name: 'Database' });
    await test.check({ name: 'App', dependsOn: [database] });
    await test.channel(database);
    await test.schedule();
    const runs = await test.claim();
    const first = runs.filter(({ run }) => run.checkId === database);
    await test.record(first.map((claimed) => test.ended(claimed, 'failed')));
    const others = runs.filter(({ run }) => run.checkId !== database);
    await test.record(others.map((claimed) => test.ended(claimed, 'failed')));
    const ledger = await ledgerOf(test);
    assert.deepEqual([ledger.alerts.notified, ledger.alerts.suppressed, ledger.alerts.raised], [1, 1, 2]);
    assert.deepEqual(differencesOf(ledger), balanced);
  });

  it('accounts for every delivery by its status', async (newStore) => {
    await using test = await openNow(newStore);
    const checks = [await test.check(), await test.check(), await test.check(), await test.check()];
    const channels = [];
    for (const check of checks) channels.push(await test.channel(check));
    await test.runAll('failed');
    const claimed = await test.claimDeliveries();
    const [delivered, refused, pending, cancelled] = claimed;
    assert.ok(delivered && refused && pending && cancelled);
    await test.settle(delivered, 200);
    const error = { class: 'egress-refused', message: 'refused' } as const;
    await test.settle(refused, 500, 'one', { error });
    await test.settle(pending, 500);
    await test.settle(cancelled, 500);
    await test.temp.store.deliveries.cancel(test.accountId, cancelled.delivery.id);
    // A test message, and a replay.
    const own = { accountId: test.accountId, alertChannelId: channels[0] ?? 0, alertType: 'ALERT_FAILURE' } as const;
    await test.path.addDelivery({ ...newDelivery({ ...own, id: newId() }, test.now), isTest: true });
    await test.temp.store.deliveries.replay(test.accountId, delivered.delivery.id, newId());
    const ledger = await ledgerOf(test);
    assert.deepEqual(ledger.deliveries, {
      added: 6,
      expired: 0,
      statuses: { ...noStatuses, delivered: 1, refused: 1, cancelled: 1, pending: 3 },
    });
    assert.deepEqual(differencesOf(ledger), balanced);
    test.temp.raw.exec('DELETE FROM deliveries WHERE replay_of IS NOT NULL');
    assert.deepEqual(differencesOf(await ledgerOf(test)), { ...balanced, deliveries: 1 }, 'a lost delivery shows');
  });

  it('still adds up after a check with open alerts and runs was deleted', async (newStore) => {
    await using test = await openNow(newStore);
    const check = await test.check();
    await test.channel(check);
    await test.runAll('failed');
    test.temp.clock.advance(10_000);
    await test.schedule();
    assert.equal(await test.remove(check, rendered), true);
    const ledger = await ledgerOf(test);
    assert.deepEqual([ledger.alerts.raised, ledger.deliveries.added, ledger.runs.scheduled], [2, 2, 1]);
    assert.deepEqual(differencesOf(ledger), balanced);
  });

  onSqlite('counts what the retention deleted apart', async (newStore) => {
    await using test = await openNow(newStore);
    const check = await test.check();
    await test.channel(check);
    await test.runAll('failed');
    test.temp.raw.exec('DELETE FROM alerts');
    test.temp.raw.exec('DELETE FROM deliveries');
    test.temp.clock.advance(3 * hourMs);
    const to = hourOf(test.now) + hourMs;
    const [span, storedFrom] = [{ from: to - dayMs, to }, hourOf(test.now)];
    const { ledger } = test.temp.store;
    const alerts = await ledger.alerts(test.accountId, span, storedFrom);
    const deliveries = await ledger.deliveries(test.accountId, span, storedFrom);
    assert.deepEqual([alerts.raised, alerts.expired, deliveries.added, deliveries.expired], [1, 1, 1, 1]);
    const runs = await ledger.runs(test.accountId, span);
    assert.ok(isBalanced(differencesOf({ runs, alerts, deliveries })));
  });

  it('adds up hours that are older than 64 days, and keeps the totals', async (newStore) => {
    await using test = await openNow(newStore);
    await test.check();
    await test.runAll('passed');
    test.temp.clock.advance(hourMs);
    await test.schedule();
    const before = await test.temp.store.figures.conservation();
    test.temp.clock.advance(65 * dayMs);
    assert.equal(await test.temp.store.ledger.removeOld(), 2);
    assert.equal(await test.temp.store.ledger.removeOld(), 0);
    assert.deepEqual(test.rows('SELECT hour, passed FROM account_counts'), [{ hour: 0, passed: 1 }]);
    assert.deepEqual(await test.temp.store.figures.conservation(), before);
    assert.equal(test.difference(), 0);
  });

  onSqlite('counts nothing of other accounts', async (newStore) => {
    await using test = await openNow(newStore);
    await test.check();
    await test.runAll('failed');
    const span = { from: hourOf(test.now), to: hourOf(test.now) + hourMs };
    const found = await test.temp.store.ledger.alerts(newId(), span, span.from);
    assert.equal(found.raised + found.unsubscribed, 0);
  });
});
