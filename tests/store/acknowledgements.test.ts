// Acknowledged incidents: no reminders until the state changes.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createAcknowledgeActions } from '#actions/alerts/incidents.ts';
import { createAcknowledgeLinks } from '#actions/alerts/acknowledge-links.ts';
import { Refusal } from '#actions/refusal.ts';
import { alertVariables } from '#domain/deliveries/delivery-variables.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { newId } from '#lib/id.ts';
import { idText } from '#store/base/codec.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { PathUnderTest } from './path-under-test.ts';

const by = { type: 'link', id: null, name: null } as const;
const refusedWith = (code: string, words: RegExp) => (error: unknown) =>
  error instanceof Refusal && error.code === code && words.test(error.message);

/** One slot of every check with that outcome, with a reminder due at every result. */
async function slot(test: PathUnderTest, outcome: 'passed' | 'degraded' | 'failed', isMuted = false): Promise<void> {
  test.temp.clock.advance(10_000);
  await test.schedule();
  const ended = (await test.claim()).map((claimed) => {
    const attempt = test.ended(claimed, outcome);
    return { ...attempt, rules: { ...attempt.rules, isMuted, reminders: { amount: 9, intervalMs: 10_000 } } };
  });
  await test.record(ended, 'one', (facts) => {
    const extras = { url: null, status: 500, statusText: null, locationName: '', link: '' };
    return { content: { variables: alertVariables(facts, extras), groupId: null } };
  });
}

const sent = (test: PathUnderTest): unknown[] =>
  test.rows('SELECT alert_type AS type FROM deliveries ORDER BY id').map(({ type }) => type);

/** A check that fails and notifies one channel, with the id of its incident. */
async function failing(test: PathUnderTest, outcome: 'degraded' | 'failed' = 'failed') {
  const checkId = await test.check();
  await test.channel(checkId, { sendDegraded: true });
  await slot(test, outcome);
  const id = idText(test.one('SELECT id FROM incidents') as Uint8Array);
  return { checkId, id };
}

function actionsOf(test: PathUnderTest) {
  const acknowledged: string[] = [];
  const links = createAcknowledgeLinks({ publicUrl: () => 'https://tocsin.test', secret: new Uint8Array(32).fill(1) });
  const actions = createAcknowledgeActions({
    serverTimeZone: 'UTC',
    ...test.temp.store,
    links,
    clock: test.temp.clock,
    onAcknowledged: (_, { type }) => acknowledged.push(type),
  });
  return { actions, links, acknowledged };
}

const callerOf = (test: PathUnderTest, role: Caller['role'] = 'read-write'): Caller => ({
  principal: {
    kind: 'user',
    id: newId(),
    email: 'on-call@example.com',
    isOperator: false,
    sessionId: newId(),
    memberships: [],
  },
  role,
  accountId: test.accountId,
  accountIds: [test.accountId],
});

describe('an acknowledged incident', () => {
  onSqlite('sends no reminders until its acknowledgement is taken back', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { id } = await failing(test);
    const { incidents } = test.temp.store;
    assert.equal(await incidents.acknowledge(test.accountId, id, by, test.now), 'done');
    await slot(test, 'failed');
    await slot(test, 'failed');
    assert.deepEqual(sent(test), ['ALERT_FAILURE']);
    assert.equal(await incidents.unacknowledge(test.accountId, id), 'done');
    assert.equal(await incidents.unacknowledge(test.accountId, id), 'unchanged');
    await slot(test, 'failed');
    assert.deepEqual(sent(test), ['ALERT_FAILURE', 'ALERT_FAILURE']);
  });

  it('cancels reminders that are being retried, not the alert itself', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { id } = await failing(test);
    const [alert = assert.fail('it is due')] = await test.claimDeliveries();
    await test.settle(alert, 500);
    await slot(test, 'failed');
    const [reminder = assert.fail('it is due')] = await test.claimDeliveries();
    await test.temp.store.incidents.acknowledge(test.accountId, id, by, test.now);
    await test.settle(reminder, 500);
    assert.deepEqual(test.rows('SELECT status, error FROM deliveries ORDER BY id'), [
      { status: 0, error: 'answered 500' },
      { status: 5, error: 'the incident was acknowledged' },
    ]);
  });

  it('always sends its recovery, and shows who acknowledged it afterwards', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { id } = await failing(test);
    const at = test.now;
    await test.temp.store.incidents.acknowledge(test.accountId, id, by, at);
    await slot(test, 'passed');
    assert.deepEqual(sent(test), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
    const incident = await test.temp.store.incidents.find(test.accountId, id);
    assert.deepEqual([incident?.acknowledgedAt, incident?.acknowledgedBy, incident?.endedBy], [at, by, 'recovery']);
    assert.equal(await test.temp.store.incidents.acknowledge(test.accountId, id, by, test.now), 'ended');
    await slot(test, 'failed');
    await slot(test, 'failed');
    assert.deepEqual(sent(test).slice(2), ['ALERT_FAILURE', 'ALERT_FAILURE'], 'the next one is not acknowledged');
  });

  for (const isMuted of [false, true]) {
    it(`is not acknowledged any more when its state changes${isMuted ? ', muted or not' : ', which is alerted'}`, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const { id } = await failing(test, 'degraded');
      await test.temp.store.incidents.acknowledge(test.accountId, id, by, test.now);
      await slot(test, 'failed', isMuted);
      const incident = await test.temp.store.incidents.find(test.accountId, id);
      assert.deepEqual([incident?.acknowledgedAt, incident?.acknowledgedBy, incident?.endedAt], [null, null, null]);
      await slot(test, 'failed');
      assert.deepEqual(
        sent(test),
        isMuted ? ['ALERT_DEGRADED', 'ALERT_FAILURE'] : ['ALERT_DEGRADED', 'ALERT_FAILURE', 'ALERT_FAILURE'],
      );
    });
  }

  it('is shown on its alerts, in statuses and in the overview, and to who follows changes', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { checkId, id } = await failing(test);
    const { store } = test.temp;
    const changes = store.accountChanges.open(test.accountId);
    await changes.next();
    await store.checkStatuses.list(test.accountId);
    await store.overview.checks(test.accountId, () => null);
    await store.incidents.acknowledge(test.accountId, id, by, test.now);
    assert.deepEqual((await changes.next()).states, [checkId]);
    const shown = { acknowledgedAt: test.now, acknowledgedBy: by };
    const [[status] = []] = await store.checkStatuses.list(test.accountId);
    const {
      checks: [check],
    } = await store.overview.checks(test.accountId, () => null);
    const [alert] = await store.incidents.alerts(test.accountId, id, 10);
    const span = { from: 0, to: Date.now() + 60_000, checkId };
    const [listed] = (await store.checkAlerts.list(test.accountId, span, { limit: 1, offset: 0 })).rows;
    for (const one of [status, check?.state, alert, listed]) {
      assert.partialDeepStrictEqual(one, { incidentId: id, ...shown });
    }
  });
});

describe('acknowledging', () => {
  it('happens once, with any alert of the incident, until the incident ends', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { checkId, id } = await failing(test);
    const { actions, acknowledged } = actionsOf(test);
    const caller = callerOf(test);
    const [{ id: alertId } = assert.fail('it has one')] = await test.temp.store.incidents.alerts(test.accountId, id, 1);
    assert.deepEqual(await test.temp.store.incidents.ofAlert(test.accountId, alertId), { incidentId: id });
    await assert.rejects(actions.acknowledge(callerOf(test, 'read-run'), alertId), refusedWith('forbidden', /edit/));
    await assert.rejects(actions.acknowledge(caller, newId()), refusedWith('not-found', /Alert/));
    const first = await actions.acknowledge(caller, alertId);
    assert.deepEqual([first.acknowledgedBy?.name, first.acknowledgedAt], ['on-call@example.com', test.now]);
    test.temp.clock.advance(1000);
    assert.deepEqual(await actions.acknowledge(callerOf(test), alertId), first, 'the first stands');
    assert.deepEqual(acknowledged, ['user']);
    await test.remove(checkId);
    await assert.rejects(actions.acknowledge(caller, alertId), refusedWith('conflict', /check was deleted at/));
    await assert.rejects(actions.unacknowledge(caller, alertId), refusedWith('conflict', /incident is over/));
  });

  onSqlite('works by the link of its installation for 30 days while it is open', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { id } = await failing(test);
    const { actions, links, acknowledged } = actionsOf(test);
    const token = links.link(test.accountId, id, test.now).split('/').at(-1) ?? '';
    assert.equal((await actions.open(token))?.acknowledgedAt, null, 'opening it changes nothing');
    for (const wrong of [
      `${token}A`,
      token.slice(1),
      token.replace(/^./, (first) => (first === 'B' ? 'C' : 'B')),
      '',
    ]) {
      await assert.rejects(actions.acknowledgeLinked(wrong), refusedWith('not-found', /invalid or expired/));
    }
    assert.deepEqual((await actions.acknowledgeLinked(token))?.acknowledgedBy, by);
    assert.deepEqual(acknowledged, ['link']);
    await slot(test, 'passed');
    assert.equal((await actions.acknowledgeLinked(token))?.endedBy, 'recovery');
    assert.deepEqual(acknowledged, ['link']);
    test.temp.clock.advance(30 * 86_400_000);
    await assert.rejects(actions.open(token), refusedWith('not-found', /30 days/));
  });
});
