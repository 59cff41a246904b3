// What an account uses of its limits: read from what enforces them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usageNames } from '#domain/accounts/account.ts';
import { idBytes } from '#store/base/codec.ts';
import { startComposed } from '../support/service/composed.ts';
import { send } from './operation-calls.ts';

test('usage counts what the limits count, with the limits of the configuration and of the account', async (t) => {
  const now = Date.parse('2026-03-10T12:30:00Z');
  const clocks = { clock: { now: () => now }, steadyNow: () => now };
  const environment = {
    TOCSIN_ROLES: 'api',
    TOCSIN_ACCOUNT_LIMITS: 'checks=2,alertChannels=0',
    TOCSIN_MAIL_LIMIT: '7',
  };
  const on = await startComposed(t, environment, clocks);
  const ask = async (method: string, path: string, json?: object) => {
    const headers = { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' };
    const body = json === undefined ? '' : JSON.stringify(json);
    const answer = await send(on.port, { method, path, headers, body });
    return { status: answer.status, body: answer.text };
  };
  await ask('PUT', '/v1/accounts/me', { limits: { variables: 5 }, executionLimit: 1000 });
  const check = { name: 'Cart', activated: false, request: { method: 'GET', url: 'http://127.0.0.1:1/' } };
  for (const expected of [201, 201, 402]) assert.equal((await ask('POST', '/v1/checks/api', check)).status, expected);
  await ask('POST', '/v1/variables', { key: 'HOST', value: 'shop' });
  const hour = Math.floor(now / 3_600_000);
  const account = idBytes(on.accountId);
  on.raw
    .prepare('INSERT INTO account_counts (account_id, hour, scheduled, missed) VALUES (?, ?, ?, ?)')
    .run(account, hour - 1, 60, 10);
  const counter = on.raw.prepare('INSERT INTO counters (account_id, noun, last) VALUES (?, ?, ?)');
  counter.run(account, 'sent-email', hour * 1_000_000 + 3);
  counter.run(account, 'sent-telephone', (hour - 1) * 1_000_000 + 9);
  const { status, body } = await ask('GET', '/v1/usage');
  assert.equal(status, 200, body);
  const found = JSON.parse(body) as { name: string; used: number; limit: number | null }[];
  assert.deepEqual(
    found.map(({ name }) => name),
    usageNames,
  );
  const of = (name: string) => {
    const { used, limit } = found.find((each) => each.name === name) ?? {};
    return [used, limit];
  };
  assert.deepEqual(of('checks'), [2, 2]);
  assert.deepEqual(of('alertChannels'), [0, null]);
  assert.deepEqual(of('variables'), [1, 5]);
  assert.deepEqual(of('variableBytes'), [8, 1_000_000]);
  assert.deepEqual(of('runsOfMonth'), [0, 1000]);
  assert.deepEqual(of('runsOfHour'), [50, null]);
  assert.deepEqual(of('emailsOfHour'), [3, 7]);
  assert.deepEqual(of('telephoneOfHour'), [0, 60]);
  assert.deepEqual(of('triggeredRuns'), [0, 5000]);
  assert.deepEqual(of('checkTrials'), [0, 10]);
});
