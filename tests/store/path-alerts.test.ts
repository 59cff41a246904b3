// Results become states, alerts and deliveries in one commit (design §1: an alert is never lost and never invented).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { StateRules } from '#domain/checks/check-state.ts';
import { createSendDeliveries } from '#pipeline/send-deliveries.ts';
import { it } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import { until } from '../support/until.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

const day = 86_400_000;
const sent = 'SELECT alert_type FROM deliveries ORDER BY id';
const types = (test: PathUnderTest): unknown[] => test.rows(sent).map((row) => row['alert_type']);

/** One slot of the check under test, recorded with that outcome; then the next slot is due. */
async function slot(test: PathUnderTest, outcome: 'passed' | 'degraded' | 'failed', rules: Partial<StateRules> = {}) {
  await test.schedule();
  const ended = (await test.claim()).map((claimed) => {
    const attempt = test.ended(claimed, outcome);
    return { ...attempt, rules: { ...attempt.rules, ...rules } };
  });
  const [recorded] = await test.record(ended);
  test.temp.clock.advance(10_000);
  return recorded;
}

describe('a failing result', () => {
  it('writes result, state, alert and delivery together', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    const channel = await test.channel(checkId);
    const recorded = await slot(test, 'failed');
    assert.deepEqual(recorded?.alertTypes, ['ALERT_FAILURE']);
    assert.deepEqual(recorded?.change, { from: null, to: 'failing' });
    assert.equal(test.one('SELECT status FROM check_states'), 'failing');
    assert.deepEqual(
      test.rows(`SELECT d.alert_channel_id AS channel, d.status, d.attempts, q.request, d.alert_id = a.id AS is_alert,
         d.check_result_id = r.id AS is_result, d.next_attempt_at = d.created_at AS is_due
       FROM deliveries d JOIN delivery_requests q ON q.account_id = d.account_id AND q.delivery_id = d.id, alerts a, results r`),
      [
        {
          channel,
          status: 0,
          attempts: 0,
          request: JSON.stringify({
            method: 'POST',
            url: 'http://127.0.0.1:9/',
            headers: [],
            body: JSON.stringify({ type: 'ALERT_FAILURE', at: test.now - 10_000 }),
          }),
          is_alert: 1,
          is_result: 1,
          is_due: 1,
        },
      ],
    );
    assert.deepEqual(test.rows('SELECT open FROM notified'), [{ open: 'failure' }]);
  });

  it('keeps its exchange, as does the first passing one after it; of the others the newest', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    for (const outcome of ['passed', 'failed', 'passed', 'passed', 'passed'] as const) await slot(test, outcome);
    assert.equal(test.one('SELECT count(*) FROM exchanges'), 3, 'first of all, failed, first after it');
    assert.equal(
      test.one('SELECT result_id = (SELECT id FROM results ORDER BY id DESC LIMIT 1) FROM passing_exchanges'),
      1,
    );
  });

  it('whose rendering throws shows that in its delivery, and costs nothing else', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const [one, two] = [await test.check(), await test.check()];
    const broken = await test.channel(one);
    await test.channel(one);
    await test.channel(two);
    await test.schedule();
    const ended = (await test.claim()).map((claimed) => test.ended(claimed, 'failed'));
    const recorded = await test.record(ended, 'one', (facts) => {
      if (facts.channel.id === broken) throw new Error('no such helper');
      return rendered(facts);
    });
    assert.deepEqual(
      recorded.map(({ isRecorded }) => isRecorded),
      [true, true],
    );
    const channels: number[] = [];
    const step = createSendDeliveries({
      store: test.path,
      clock: test.temp.clock,
      owner: 'one',
      isShared: () => false,
      render: () => assert.fail('there is nothing to render'),
      send({ alertChannelId }) {
        channels.push(alertChannelId);
        return Promise.resolve(test.outcome(200));
      },
      wake: () => {},
      onError: (error) => assert.fail(String(error)),
    });
    await step.tick();
    await until('the rest is sent', () => test.one('SELECT count(*) FROM attempts') === 2);
    await step.stop(1000);
    assert.ok(!channels.includes(broken));
    const failed = () => test.rows('SELECT alert_channel_id AS id, error FROM deliveries WHERE status = 4');
    await until('the broken one has failed', () => failed().length > 0);
    assert.deepEqual(failed(), [{ id: broken, error: 'The delivery could not be rendered: no such helper' }]);
    const marked = await test.temp.store.failingChannels.list(test.accountId);
    assert.deepEqual(
      marked.map(({ alertChannelId }) => alertChannelId),
      [broken],
    );
  });

  it('with instants that have fractions of a millisecond is recorded like any other', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    const [claimed] = await test.claim();
    assert.ok(claimed !== undefined);
    const finding = test.finding('failed', {
      startedAt: test.now + 0.25,
      stoppedAt: test.now + 7.75,
      loopDelayMs: 1.5,
    });
    const [recorded] = await test.record([test.ended(claimed, 'failed', { finding })]);
    assert.equal(recorded?.isRecorded, true);
    assert.deepEqual(test.rows('SELECT duration_ms, response_us FROM results'), [
      { duration_ms: 8, response_us: 12_345 },
    ]);
  });
});

describe('what opened closes', () => {
  it('with a recovery at the first passing result', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    for (const outcome of ['passed', 'failed', 'failed', 'passed', 'passed'] as const) await slot(test, outcome);
    assert.deepEqual(types(test), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
    assert.deepEqual(test.rows('SELECT open FROM notified'), [{ open: null }]);
  });

  it('with a degraded recovery if a degradation was alerted', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    await test.channel(checkId, { sendDegraded: true });
    for (const outcome of ['degraded', 'passed', 'failed', 'degraded', 'passed'] as const) await slot(test, outcome);
    assert.deepEqual(types(test), [
      'ALERT_DEGRADED',
      'ALERT_DEGRADED_RECOVERY',
      'ALERT_FAILURE',
      'ALERT_DEGRADED',
      'ALERT_DEGRADED_RECOVERY',
    ]);
  });

  it('under mute, while nothing new opens until it ends', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    await slot(test, 'failed');
    await slot(test, 'passed', { isMuted: true });
    await slot(test, 'failed', { isMuted: true });
    assert.deepEqual(types(test), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
    await slot(test, 'failed');
    assert.deepEqual(types(test), ['ALERT_FAILURE', 'ALERT_RECOVERY', 'ALERT_FAILURE']);
  });

  it('at a channel whose subscription ended meanwhile, which hears nothing new', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    await slot(test, 'failed');
    test.temp.raw.exec('DELETE FROM subscriptions');
    for (const outcome of ['passed', 'failed', 'passed'] as const) await slot(test, outcome);
    assert.deepEqual(types(test), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
  });

  it('without a channel that is gone', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const channel = await test.channel(await test.check());
    await slot(test, 'failed');
    assert.equal(await test.temp.store.alertChannels.remove(test.accountId, channel), true);
    const recorded = await slot(test, 'passed');
    assert.deepEqual([recorded?.deliveries, recorded?.alertTypes], [0, ['ALERT_RECOVERY']]);
    assert.deepEqual(types(test), ['ALERT_FAILURE']);
  });

  it('at the channels of a group', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const added = await test.temp.store.checkGroups.add({
      group: aGroup(test.accountId),
      subscriptions: null,
      isAutoAssigned: false,
    });
    assert.ok('saved' in added);
    const checkId = await test.check({ groupId: added.saved.group.id });
    await test.channel(checkId);
    test.temp.raw.prepare('UPDATE subscriptions SET check_id = NULL, group_id = ?').run(added.saved.group.id);
    const seen: boolean[] = [];
    await test.schedule();
    const ended = (await test.claim()).map((claimed) => test.ended(claimed, 'failed'));
    await test.record(ended, 'one', (facts) => {
      seen.push(facts.isViaGroup);
      return rendered(facts);
    });
    assert.deepEqual(seen, [true]);
  });
});

describe('an older result', () => {
  it('that comes in late is recorded, moves no state and is not shown as the last', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    await test.schedule();
    const [slow] = await test.claim();
    assert.ok(slow !== undefined);
    test.temp.clock.advance(10_000);
    await test.path.renewRuns([slow.run], { owner: 'one', now: test.now, leaseMs: 60_000 });
    await slot(test, 'passed');
    const before = test.rows('SELECT status, last_outcome, last_result_id FROM check_states');
    const [late] = await test.record([test.ended(slow, 'failed')]);
    assert.deepEqual([late?.isRecorded, late?.change, late?.deliveries], [true, null, 0]);
    assert.deepEqual(test.rows('SELECT status, last_outcome, last_result_id FROM check_states'), before);
    assert.equal(test.difference(), 0);
  });

  it('without an answer leaves the longest and shortest answer as they are', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    const figures = 'SELECT longest_response_us AS longest, shortest_response_us AS shortest FROM check_states';
    for (const responseTimeMs of [null, null, 5, null, 9]) {
      await test.schedule();
      const [claimed] = await test.claim();
      assert.ok(claimed !== undefined);
      await test.record([test.ended(claimed, 'failed', { finding: test.finding('failed', { responseTimeMs }) })]);
      test.temp.clock.advance(10_000);
      if (test.one('SELECT count(*) FROM results') === 2)
        assert.deepEqual(test.rows(figures), [{ longest: null, shortest: null }]);
    }
    assert.deepEqual(test.rows(figures), [{ longest: 9_000, shortest: 5_000 }]);
  });
});

describe('a certificate about to expire', () => {
  it('is alerted once per step, besides alerts of the result', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check(), { sslExpiry: true });
    const validTo = test.now + 16 * day;
    for (let slots = 0; slots < 4; slots++) {
      await test.schedule();
      const [claimed] = await test.claim();
      assert.ok(claimed !== undefined);
      const certificate = { domain: 'shop', fingerprint: 'AB', validTo };
      await test.record([test.ended(claimed, 'passed', { finding: test.finding('passed', { certificate }) })]);
      test.temp.clock.advance(slots === 1 ? 2 * day : 10_000);
    }
    assert.deepEqual(types(test), ['ALERT_SSL', 'ALERT_SSL']);
    assert.deepEqual(test.rows('SELECT open, certificates FROM notified'), [{ open: null, certificates: '{"AB":14}' }]);
  });
});

describe('several certificates at once', () => {
  it('are each reported once a step, whether one result sees them or they take turns', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check(), { sslExpiry: true });
    const seen = (fingerprint: string, days: number) => ({
      domain: fingerprint,
      fingerprint,
      validTo: test.now + days * day,
    });
    const [a, b, c] = [seen('A', 2.5), seen('B', 6.5), seen('C', 12.5)];
    const findings = [
      { certificate: a, otherCertificates: [b, c] },
      { certificate: b, otherCertificates: [c] },
      { certificate: a },
      { certificate: b },
      { certificate: a, otherCertificates: [b, c] },
    ];
    for (const certificates of findings) {
      await test.schedule();
      const [claimed] = await test.claim();
      assert.ok(claimed !== undefined);
      await test.record([test.ended(claimed, 'passed', { finding: test.finding('passed', certificates) })]);
      test.temp.clock.advance(10_000);
    }
    assert.deepEqual(types(test), ['ALERT_SSL', 'ALERT_SSL', 'ALERT_SSL']);
    assert.deepEqual(test.rows('SELECT certificates FROM notified'), [{ certificates: '{"A":3,"B":7,"C":14}' }]);
    assert.equal(test.one('SELECT count(*) FROM deliveries'), 3);
  });
});

describe('a reminder', () => {
  it('is a delivery and an alert of its own, with the result that finds the check still failing, and says which it is', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    await test.channel(checkId);
    const notified: unknown[] = [];
    const reminders = { amount: 2, intervalMs: 20_000 };
    for (const outcome of [
      'failed',
      'failed',
      'failed',
      'failed',
      'failed',
      'failed',
      'failed',
      'passed',
      'failed',
    ] as const) {
      await test.schedule();
      const ended = (await test.claim()).map((claimed) => {
        const attempt = test.ended(claimed, outcome);
        return { ...attempt, rules: { ...attempt.rules, reminders } };
      });
      const [recorded] = await test.record(ended, 'one', (facts) => {
        notified.push([facts.alertType, facts.reminder, facts.resultId]);
        return rendered(facts);
      });
      notified.push(recorded?.resultId);
      test.temp.clock.advance(10_000);
    }
    const results = notified.filter((each) => typeof each === 'string');
    assert.deepEqual(
      notified.filter((each) => Array.isArray(each)),
      [
        ['ALERT_FAILURE', null, results[0]],
        ['ALERT_FAILURE', 1, results[2]],
        ['ALERT_FAILURE', 2, results[4]],
        ['ALERT_RECOVERY', null, results[7]],
        ['ALERT_FAILURE', null, results[8]],
      ],
    );
    assert.equal(test.one('SELECT count(*) FROM alerts'), 5);
    assert.deepEqual(test.rows('SELECT open, notified_at, reminders FROM notified'), [
      { open: 'failure', notified_at: test.now - 10_000, reminders: 0 },
    ]);
  });
});

describe('a result that says nothing of a check, and sees its certificate near its end', () => {
  it('sends the certificate alert and no reminder', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    await test.channel(checkId, { sslExpiry: true });
    const rules = { reminders: { amount: 2, intervalMs: 5000 } };
    await slot(test, 'failed', rules);
    await test.schedule();
    const certificate = { domain: 'shop', fingerprint: 'AB', validTo: test.now + 10 * day };
    for (const claimed of await test.claim()) {
      const attempt = test.ended(claimed, 'unknown', { finding: test.finding('unknown', { certificate }) });
      await test.record([{ ...attempt, rules: { ...attempt.rules, ...rules } }]);
    }
    assert.deepEqual(types(test), ['ALERT_FAILURE', 'ALERT_SSL']);
    test.temp.clock.advance(10_000);
    await slot(test, 'failed', rules);
    assert.deepEqual(types(test), ['ALERT_FAILURE', 'ALERT_SSL', 'ALERT_FAILURE']);
  });
});

describe('runs of one call at several locations', () => {
  it('are one round: a failure ends when all of them pass, whenever each began', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const locations = ['local', 'lima'];
    const { id } = await test.add({ frequency: 1440, locations, runParallel: true });
    await test.channel(id);
    const parallel = { locations, failingShare: null };
    /** Calls for the check; each location answers a second after the one before. */
    const call = async (outcome: 'passed' | 'failed'): Promise<void> => {
      test.temp.clock.advance(60_000);
      const target = { groupId: null, checkId: id };
      await test.temp.store.triggers.start({
        accountId: test.accountId,
        target,
        now: test.now,
        servedLocations: locations,
        newToken: 'a-token-of-this-check',
        idempotencyKey: null,
      });
      for (const location of locations) {
        test.temp.clock.advance(1000);
        for (const claimed of await test.claim('one', location)) {
          const attempt = test.ended(claimed, outcome);
          await test.record([{ ...attempt, rules: { ...attempt.rules, parallel } }]);
        }
      }
    };
    await call('passed');
    await call('failed');
    await call('passed');
    assert.deepEqual(types(test), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
    assert.equal(test.one('SELECT status FROM check_states'), 'passing');
  });
});
