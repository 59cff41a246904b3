// Incidents: one from the first alert of a check to its recovery or deletion, in the transaction of what changes it.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { EndedAttempt, DeliveryFacts } from '#domain/results/recording.ts';
import { Refusal } from '#actions/refusal.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { createIncidentActions } from '#actions/alerts/incidents.ts';
import { newId } from '#lib/id.ts';
import { idText } from '#store/base/codec.ts';
import { putAccount } from '../support/store/rows.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

const callerOf = (accountId: string): Caller => ({
  principal: { kind: 'api-key', id: newId() },
  role: 'read-only',
  accountId,
  accountIds: [accountId],
});
const refusedWith = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;
const page = { limit: 10, offset: 0 };
const everything = { from: null, to: null, checkId: null, state: null };

/** One slot of every check, with that outcome, and what its deliveries were rendered from. */
async function slot(
  test: PathUnderTest,
  outcome: 'passed' | 'degraded' | 'failed',
  rules: Partial<EndedAttempt['rules']> = {},
): Promise<DeliveryFacts[]> {
  const facts: DeliveryFacts[] = [];
  await test.schedule();
  const ended = (await test.claim()).map((claimed) => {
    const attempt = test.ended(claimed, outcome);
    return { ...attempt, rules: { ...attempt.rules, ...rules } };
  });
  await test.record(ended, 'one', (given) => {
    facts.push(given);
    return rendered(given);
  });
  test.temp.clock.advance(10_000);
  return facts;
}

const incidentsOf = async (test: PathUnderTest, filter: object = {}) =>
  (await test.temp.store.incidents.list(test.accountId, { ...everything, ...filter }, page)).rows;

describe('the incident of a check', () => {
  it('opens with the first alert, counts from the beginning of its state, and ends with the recovery', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    await test.channel(checkId);
    const startedAt = test.now;
    const rules = { escalation: { type: 'RUN_BASED', runs: 2 } } as const;
    await slot(test, 'failed', rules);
    assert.deepEqual(await incidentsOf(test), [], 'nothing is alerted yet');
    const openedAt = test.now;
    const [failure] = await slot(test, 'failed', rules);
    const [open = assert.fail('it is open')] = await incidentsOf(test, { state: 'open', checkId });
    const alerts = await test.temp.store.incidents.alerts(test.accountId, open.id, 10);
    assert.deepEqual(open, {
      accountId: test.accountId,
      id: open.id,
      checkId,
      checkName: 'Shop',
      checkType: 'API',
      kind: 'failing',
      startedAt,
      openedAt,
      endedAt: null,
      endedBy: null,
      acknowledgedAt: null,
      acknowledgedBy: null,
      firstAlertId: alerts[0]?.id,
      resultId: failure?.resultId,
      error: alerts[0]?.error,
    });
    assert.deepEqual(failure?.incident, { id: open.id, startedAt, isFirst: true });
    assert.equal((await slot(test, 'failed', rules)).length, 0);
    const endedAt = test.now;
    const [recovery] = await slot(test, 'passed', rules);
    assert.deepEqual(recovery?.incident, { id: open.id, startedAt, isFirst: false });
    const ended = { ...open, endedAt, endedBy: 'recovery' };
    assert.deepEqual(await test.temp.store.incidents.find(test.accountId, open.id), ended);
    assert.deepEqual(await incidentsOf(test, { state: 'open' }), []);
    assert.deepEqual(
      (await test.temp.store.incidents.alerts(test.accountId, open.id, 10)).map(({ alertType }) => alertType),
      ['ALERT_RECOVERY', 'ALERT_FAILURE'],
    );
    const [again] = [...(await slot(test, 'failed')), ...(await slot(test, 'passed'))];
    assert.notEqual(again?.incident?.id, open.id, 'the next failure is another one');
    assert.deepEqual(
      (await incidentsOf(test)).map(({ id }) => id),
      [again?.incident?.id, open.id],
    );
  });

  onSqlite(
    'that was degraded becomes a failing one and stays it, and says to each channel which delivery is its first',
    async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const checkId = await test.check();
      const all = await test.channel(checkId, { sendDegraded: true });
      await test.channel(checkId);
      const firsts = (facts: readonly DeliveryFacts[]) =>
        facts.map(({ alertType, channel, incident }) => [alertType, channel.id === all, incident?.isFirst]);
      assert.deepEqual(firsts(await slot(test, 'degraded')), [['ALERT_DEGRADED', true, true]]);
      const [{ id, kind } = assert.fail('it is open')] = await incidentsOf(test);
      assert.equal(kind, 'degraded');
      assert.deepEqual(firsts(await slot(test, 'failed')), [
        ['ALERT_FAILURE', true, false],
        ['ALERT_FAILURE', false, true],
      ]);
      await slot(test, 'degraded');
      const [{ kind: worst, id: same } = assert.fail('it is open')] = await incidentsOf(test);
      assert.deepEqual([worst, same], ['failing', id]);
      await slot(test, 'passed');
      assert.equal(test.one('SELECT count(*) FROM incidents WHERE ended_at IS NULL'), 0);
      assert.equal(test.one('SELECT count(*) FROM alerts WHERE incident_id IS NULL'), 0);
    },
  );

  onSqlite('is none of a certificate, also while one is open', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    await test.channel(checkId, { sslExpiry: true });
    const certificate = { domain: 'shop.example', fingerprint: 'AA', validTo: test.now + 86_400_000 };
    await test.schedule();
    const [claimed = assert.fail('it is due')] = await test.claim();
    const facts: DeliveryFacts[] = [];
    const attempt = { ...test.ended(claimed, 'failed'), finding: test.finding('failed', { certificate }) };
    await test.record([attempt], 'one', (given) => {
      facts.push(given);
      return rendered(given);
    });
    assert.deepEqual(
      facts.map(({ alertType, incident }) => [alertType, incident?.isFirst]),
      [
        ['ALERT_FAILURE', true],
        ['ALERT_SSL', undefined],
      ],
    );
    assert.deepEqual(
      test
        .rows('SELECT alert_type, incident_id IS NULL AS none FROM alerts ORDER BY alert_type')
        .map(({ alert_type, none }) => [alert_type, Boolean(none)]),
      [
        ['ALERT_FAILURE', false],
        ['ALERT_SSL', true],
      ],
    );
  });

  it('ends when its check is deleted', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    await test.channel(checkId);
    const [failure] = await slot(test, 'failed');
    const facts: DeliveryFacts[] = [];
    await test.remove(checkId, (given) => {
      facts.push(given);
      return rendered(given);
    });
    const [{ endedAt, endedBy, id } = assert.fail('it stays')] = await incidentsOf(test, { state: 'ended' });
    assert.deepEqual([endedAt, endedBy, id], [test.now, 'deletion', failure?.incident?.id]);
    assert.deepEqual(facts[0]?.incident?.id, id);
  });

  it('of many checks opens and ends in one recording, a check of them twice', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const [twice] = [await test.check(), await test.check()];
    await test.schedule();
    const first = await test.claim();
    const failed = first.map((claimed) => test.ended(claimed, 'failed'));
    test.temp.clock.advance(10_000);
    await test.schedule();
    const second = (await test.claim()).filter(({ run }) => run.checkId === twice);
    await test.record([...failed, ...second.map((claimed) => test.ended(claimed, 'passed'))]);
    assert.deepEqual(
      (await incidentsOf(test)).map(({ checkId, endedBy }) => `${checkId === twice} ${endedBy}`).toSorted(),
      ['false null', 'true recovery'],
    );
    assert.deepEqual(
      test
        .rows('SELECT check_id FROM check_states WHERE incident_id IS NOT NULL')
        .map(({ check_id }) => idText(check_id as Uint8Array) === twice),
      [false],
    );
  });
});

it('incidents are listed by check, state and the time of their opening, those of the own account only', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const [checkId] = [await test.check(), await test.check()];
  await slot(test, 'failed');
  const actions = createIncidentActions(test.temp.store);
  const caller = callerOf(test.accountId);
  const count = async (question: Parameters<typeof actions.list>[1]) =>
    (await actions.list(caller, question, page)).total;
  assert.equal(await count({}), 2);
  assert.equal(await count({ checkId }), 1);
  assert.equal(await count({ state: 'ended' }), 0);
  const at = (await incidentsOf(test)).map(({ id }) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
  assert.equal(await count({ from: Math.min(...at), to: Math.max(...at) }), 2);
  assert.equal(await count({ to: Math.min(...at) - 1 }), 0);
  assert.equal(await count({ from: Math.max(...at) + 1 }), 0);
  await assert.rejects(count({ from: 2, to: 1 }), refusedWith('invalid'));
  await assert.rejects(actions.find(caller, newId()), refusedWith('not-found'));
  const [{ id } = assert.fail('there is one')] = await incidentsOf(test);
  assert.deepEqual((await actions.find(caller, id)).alerts.length, 1);
  const other = callerOf(putAccount(test.temp.raw));
  assert.equal((await actions.list(other, {}, page)).total, 0);
  await assert.rejects(actions.find(other, id), refusedWith('not-found'));
});
