// The ledger over HTTP: its periods in the account's time zone, what is no longer stored, and the checks to look at.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LedgerBody, SystemLedgerBody } from '#contract/operating/ledger.ts';
import type { Outcome } from '#domain/results/result.ts';
import { newId, newIdAt } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { putResult } from '../support/store/rows.ts';
import { send } from './operation-calls.ts';

const hourMs = 3_600_000;
const now = Date.parse('2026-03-10T12:30:00Z');
/** Start of that day in Los Angeles, where the clocks were changed two days before. */
const midnight = Date.parse('2026-03-10T07:00:00Z');

let on: Composed;
const cleanups: (() => void | Promise<void>)[] = [];
let [cart, gone] = ['', ''];

before(async () => {
  const clocks = { clock: { now: () => now }, steadyNow: () => now };
  on = await startComposed({ after: (work) => void cleanups.push(work) }, { TOCSIN_ROLES: 'api' }, clocks);
  await ask('PUT', '/v1/accounts/me', { timeZone: 'America/Los_Angeles' });
  [cart, gone] = [await addCheck('Cart'), await addCheck('Gone')];
  run(cart, midnight - 1, 'failed');
  run(cart, midnight, 'failed');
  run(cart, midnight + hourMs, 'passed');
  run(cart, now - 60_000, 'missed');
  run(gone, midnight + 2 * hourMs, 'degraded');
});
after(async () => {
  for (const work of cleanups) await work();
});

async function addCheck(name: string): Promise<string> {
  const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
  const { body } = await ask('POST', '/v1/checks/api', { name, activated: false, frequency: 60, request });
  return (JSON.parse(body) as { id: string }).id;
}

/** A recorded run, as the scheduler and the recorder count it. */
function run(checkId: string, at: number, outcome: Outcome): void {
  putResult(on.raw, on.accountId, checkId, at, { id: newIdAt(at), outcome, intervalMs: hourMs });
  count(at, { scheduled: 1, [outcome]: 1 });
}

function count(at: number, counted: Readonly<Record<string, number>>, accountId = on.accountId): void {
  const names = Object.keys(counted);
  const sums = names.map((name) => `${name} = account_counts.${name} + excluded.${name}`);
  on.raw
    .prepare(
      `INSERT INTO account_counts (account_id, hour, ${names.join()}) VALUES (?, ?${', ?'.repeat(names.length)})
       ON CONFLICT (account_id, hour) DO UPDATE SET ${sums.join()}`,
    )
    .run(idBytes(accountId), Math.floor(at / hourMs), ...Object.values(counted));
}

async function ask(method: string, path: string, json?: object) {
  const headers = { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' };
  const answer = await send(on.port, { method, path, headers, body: json === undefined ? '' : JSON.stringify(json) });
  return { status: answer.status, body: answer.text };
}

async function ledger(query = ''): Promise<LedgerBody> {
  const { status, body } = await ask('GET', `/v1/ledger${query}`);
  assert.equal(status, 200, body);
  return JSON.parse(body) as LedgerBody;
}

test('a day begins at midnight of the account, and adds up', async () => {
  const found = await ledger();
  assert.deepEqual(
    [found.from, found.to, found.timeZone],
    ['2026-03-10T07:00:00.000Z', '2026-03-11T07:00:00.000Z', 'America/Los_Angeles'],
  );
  assert.deepEqual(found.runs, {
    scheduled: 4,
    onDemand: 0,
    passed: 1,
    degraded: 1,
    failed: 1,
    unknown: 0,
    missed: 1,
    running: 0,
    waiting: 0,
    difference: 0,
  });
  assert.equal(found.unstored, 0);
  const names = found.checks.map(({ name, failed, missed, degraded }) => [name, failed, missed, degraded]);
  assert.deepEqual(names, [
    ['Cart', 1, 1, 0],
    ['Gone', 0, 0, 1],
  ]);
});

test('a month has the days before, and an earlier day can be chosen', async () => {
  assert.equal((await ledger('?period=month')).runs.failed, 2);
  const yesterday = await ledger('?at=2026-03-10T06:59:59Z');
  assert.deepEqual([yesterday.from, yesterday.runs.failed], ['2026-03-09T07:00:00.000Z', 1]);
});

test('results of a deleted check are no longer stored, and their runs still count', async () => {
  assert.equal((await ask('DELETE', `/v1/checks/${gone}`)).status, 204);
  const found = await ledger();
  assert.deepEqual([found.runs.degraded, found.runs.difference, found.unstored], [1, 0, 1]);
});

test('a period without counters by hour is refused, and so is one in the future', async () => {
  for (const [at, why] of [
    ['2025-12-01T00:00:00Z', /at must be in a month that began after/],
    ['2026-03-10T13:00:00Z', /at must be in the past/],
  ] as const) {
    const { status, body } = await ask('GET', `/v1/ledger?period=month&at=${at}`);
    assert.equal(status, 400);
    assert.match(body, why);
  }
});

test('the operator sees the sum over all accounts, and those that do not add up', async () => {
  const accountId = newId();
  on.raw.prepare('INSERT INTO accounts (id, name, created_at) VALUES (?, ?, ?)').run(idBytes(accountId), 'Acme', now);
  count(now, { scheduled: 5, passed: 3, alerts: 1, deliveries: 2, muted: 1 }, accountId);
  const { status, body } = await ask('GET', '/v1/system-ledger');
  assert.equal(status, 200, body);
  const found = JSON.parse(body) as SystemLedgerBody;
  assert.deepEqual([found.accounts, found.runs.scheduled, found.runs.difference], [2, 9, 2]);
  assert.deepEqual([found.alerts.due, found.alerts.muted, found.alerts.difference], [2, 1, 1]);
  assert.deepEqual(found.unbalanced, [{ accountId, name: 'Acme', runs: 2, alerts: 1, deliveries: 2 }]);
});
