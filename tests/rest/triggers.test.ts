// The path of a trigger's token: a gate for CI that needs no key (decisions: The token).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '#domain/results/result.ts';
import { newId } from '#lib/id.ts';
import { idText } from '#store/base/codec.ts';
import { putCheck, putGroup, putResult } from '../support/store/rows.ts';
import { openServer, type ServerOnStore } from './server-on-store.ts';

const runRows = ({ raw }: ServerOnStore) => raw.prepare('SELECT * FROM runs').all();

/** Waits for open runs, then ends them as the step `run-checks` would. */
async function closeRuns(on: ServerOnStore, count: number, outcome: Outcome): Promise<void> {
  while (runRows(on).length < count) await new Promise(setImmediate);
  on.raw.exec('BEGIN IMMEDIATE');
  for (const row of runRows(on)) {
    const [accountId, checkId, id] = ['account_id', 'check_id', 'id'].map((name) => idText(row[name] as Uint8Array));
    on.raw.prepare('DELETE FROM runs WHERE id = ?').run(row['id'] as Uint8Array);
    putResult(on.raw, accountId ?? '', checkId ?? '', 1, { id: id ?? '', outcome, responseUs: 41_400 });
  }
  on.raw.exec('COMMIT');
  on.hint();
}

async function makeTrigger(on: ServerOnStore, of: string): Promise<string> {
  const made = await on.server.inject({ method: 'POST', url: `/v1/triggers/${of}`, headers: on.as() });
  assert.equal(made.statusCode, 201, made.body);
  on.raw.exec('DELETE FROM runs');
  return made.json<{ token: string }>().token;
}

for (const method of ['GET', 'POST'] as const) {
  test(`${method} of a group's token is 200 when all passed and 503 when any failed, as compact JSON`, async () => {
    await using on = await openServer();
    putGroup(on.raw, on.accountId, 3);
    const checkId = putCheck(on.raw, on.accountId, { groupId: 3, name: 'shop' });
    const url = `/check-groups/3/trigger/${await makeTrigger(on, 'check-groups/3')}`;
    for (const [outcome, status, hasFailures] of [
      ['passed', 200, false],
      ['degraded', 200, false],
      ['failed', 503, true],
      ['unknown', 503, true],
    ] as const) {
      const [answer] = await Promise.all([on.server.inject({ method, url }), closeRuns(on, 1, outcome)]);
      assert.equal(answer.statusCode, status);
      const verdict = `[{"checkId":"${checkId}","name":"shop","hasFailures":${hasFailures},"responseTime":41`;
      if (!hasFailures) assert.equal(answer.body, `${verdict}}]`);
      else
        assert.match(
          answer.body.slice(verdict.length),
          /^,"message":"","resultLink":"http:.{1,3}tocsin.test.results.[^"]+"}]$/,
        );
      assert.ok(answer.body.startsWith(verdict), answer.body);
    }
  });
}

test("a check's token runs that check and answers with one object", async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId, { name: 'alone' });
  const token = await makeTrigger(on, `checks/${checkId}`);
  const url = `/checks/${checkId}/trigger/${token}?maxWaitSeconds=600`;
  const [answer] = await Promise.all([on.server.inject({ url }), closeRuns(on, 1, 'passed')]);
  assert.deepEqual(answer.json(), { checkId, name: 'alone', hasFailures: false, responseTime: 41 });
  const trigger = await on.server.inject({ url: `/v1/triggers/checks/${checkId}`, headers: on.as() });
  assert.deepEqual(trigger.json(), { id: 1, token, created_at: '2026-03-10', called_at: '2026-03-10', checkId });
});

test("HEAD of a token's path is 405 and starts nothing; elsewhere it asks as GET does", async () => {
  await using on = await openServer();
  putGroup(on.raw, on.accountId, 3);
  const checkId = putCheck(on.raw, on.accountId, { groupId: 3 });
  for (const [path, of] of [
    ['/check-groups/3', 'check-groups/3'],
    [`/checks/${checkId}`, `checks/${checkId}`],
  ] as const) {
    const url = `${path}/trigger/${await makeTrigger(on, of)}?maxWaitSeconds=1`;
    const answer = await on.server.inject({ method: 'HEAD', url });
    assert.deepEqual([answer.statusCode, answer.headers['allow']], [405, 'GET, POST']);
    assert.deepEqual(runRows(on), []);
  }
  const read = await on.server.inject({ method: 'HEAD', url: '/v1/triggers/check-groups/3', headers: on.as() });
  assert.deepEqual([read.statusCode, read.body], [200, '']);
});

test('time that is up is 408, a wrong wait 400, a wrong token 404, the eleventh call in a minute 429', async () => {
  await using on = await openServer();
  putGroup(on.raw, on.accountId, 3);
  putCheck(on.raw, on.accountId, { groupId: 3 });
  const token = await makeTrigger(on, 'check-groups/3');
  const statusOf = async (url: string) => (await on.server.inject({ url })).statusCode;
  assert.equal(await statusOf(`/check-groups/3/trigger/${token}?maxWaitSeconds=1`), 408);
  for (const wait of ['0', '601', 'x', '']) {
    assert.equal(await statusOf(`/check-groups/3/trigger/${token}?maxWaitSeconds=${wait}`), 400);
  }
  for (const wrong of [
    `/check-groups/3/trigger/${token}x`,
    `/check-groups/4/trigger/${token}`,
    `/checks/${newId()}/trigger/${token}`,
  ]) {
    assert.equal(await statusOf(wrong), 404);
  }
  assert.equal(await statusOf(`/check-groups/x/trigger/${token}`), 400);
  on.raw.exec("UPDATE checks SET check_type = 'HEARTBEAT'");
  for (let index = 0; index < 9; index++) assert.equal(await statusOf(`/check-groups/3/trigger/${token}`), 409);
  const eleventh = await on.server.inject({ url: `/check-groups/3/trigger/${token}` });
  assert.deepEqual([eleventh.statusCode, eleventh.headers['retry-after']], [429, '60']);
});

test("a group's token is no verdict while nothing can run: 409 with the reason, and the API's own call goes on", async () => {
  await using on = await openServer();
  putGroup(on.raw, on.accountId, 3);
  const url = `/check-groups/3/trigger/${await makeTrigger(on, 'check-groups/3')}`;
  const nothing = 'The group has no activated checks to run. Heartbeat checks cannot be triggered.';
  const ask = async () => {
    const answer = await on.server.inject({ url });
    return [answer.statusCode, answer.json<{ message: string }>().message];
  };
  assert.deepEqual(await ask(), [409, nothing]);
  putCheck(on.raw, on.accountId, { groupId: 3, activated: false });
  assert.deepEqual(await ask(), [409, nothing]);
  await makeTrigger(on, 'check-groups/3');
});

test('a heartbeat is not run by its token, and the answer does not call it deactivated alone', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId);
  const token = await makeTrigger(on, `checks/${checkId}`);
  on.raw.exec("UPDATE checks SET check_type = 'HEARTBEAT'");
  const answer = await on.server.inject({ url: `/checks/${checkId}/trigger/${token}` });
  assert.equal(answer.statusCode, 409);
  assert.match(answer.json<{ message: string }>().message, /deactivated or a heartbeat check/);
});

test('a client that goes away ends the wait, and what was started goes on', async () => {
  await using on = await openServer();
  putGroup(on.raw, on.accountId, 3);
  putCheck(on.raw, on.accountId, { groupId: 3 });
  const token = await makeTrigger(on, 'check-groups/3');
  const address = await on.server.listen({ host: '127.0.0.1', port: 0 });
  const gone = new AbortController();
  const answer = fetch(`${address}/check-groups/3/trigger/${token}?maxWaitSeconds=600`, { signal: gone.signal });
  while (!on.isWaited()) await new Promise(setImmediate);
  gone.abort();
  await assert.rejects(answer, /abort/);
  while (on.isWaited()) await new Promise(setImmediate);
  assert.equal(runRows(on).length, 1);
});

test('a call by token may be quiet and bring variables; a body that it cannot use is refused', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId, { name: 'alone' });
  const token = await makeTrigger(on, `checks/${checkId}`);
  const url = `/checks/${checkId}/trigger/${token}`;
  const refused: readonly (readonly [payload: string, said: RegExp])[] = [
    ['{"variables":{"A":"1"}}', /variables/],
    ['{"environmentVariables":[{"key":"9","value":"1"}]}', /environmentVariables\[0\]\.key/],
    ['{"environmentVariables":[{"key":"A","value":"1"},{"key":"A","value":"2"}]}', /must not contain a key twice/],
    [
      `{"environmentVariables":[${'12345'.replaceAll(/./g, `{"key":"K$&","value":"${'x'.repeat(8000)}"},`).slice(0, -1)}]}`,
      /32768/,
    ],
    ['SHOP=preview', /JSON/],
    ['[]', /body/],
  ];
  for (const [payload, said] of refused) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await on.server.inject({ method: 'POST', url, payload, headers });
    assert.equal(answer.statusCode, 400, answer.body);
    assert.match(answer.body, said);
  }
  assert.equal(runRows(on).length, 0, 'a refused call starts nothing');
  const payload = { environmentVariables: [{ key: 'SHOP', value: 'preview' }] };
  const [answer] = await Promise.all([
    on.server.inject({ method: 'POST', url: `${url}?quiet=true`, payload }),
    closeRuns(on, 1, 'passed'),
  ]);
  assert.deepEqual(
    [answer.statusCode, answer.json()],
    [200, { checkId, name: 'alone', hasFailures: false, responseTime: 41 }],
  );
  assert.equal((await on.server.inject({ url: `${url}?quiet=yes` })).statusCode, 400);
});

test('a call by token refuses an idempotency key and a mistyped parameter, and ignores what reference clients send', async () => {
  await using on = await openServer();
  putGroup(on.raw, on.accountId, 3);
  const checkId = putCheck(on.raw, on.accountId, { groupId: 3 });
  for (const target of ['check-groups/3', `checks/${checkId}`]) {
    const url = `/${target}/trigger/${await makeTrigger(on, target)}`;
    const keyed = await on.server.inject({ method: 'POST', url, headers: { 'idempotency-key': 'k1' } });
    assert.equal(keyed.statusCode, 400);
    assert.match(keyed.body, /idempotency-key works only with an API key: POST \/v1\/triggers/);
    const typed = await on.server.inject({ url: `${url}?quite=true` });
    assert.equal(typed.statusCode, 400);
    assert.match(typed.body, /Unknown query parameter \\"quite\\"; did you mean \\"quiet\\"\?/);
    assert.equal(runRows(on).length, 0);
    const known = `${url}?deployment=true&repository=a&sha=b&environmentUrl=c&environmentName=d&deploymentId=e&runLocation=f`;
    const [answer] = await Promise.all([on.server.inject({ url: known }), closeRuns(on, 1, 'passed')]);
    assert.equal(answer.statusCode, 200);
  }
});

test('the answer of a call names its runs in headers, and they are listed', async () => {
  await using on = await openServer();
  putGroup(on.raw, on.accountId, 3);
  for (let count = 0; count < 51; count++) putCheck(on.raw, on.accountId, { groupId: 3 });
  const checkId = putCheck(on.raw, on.accountId, { name: 'alone' });
  const call = (of: string) =>
    on.server.inject({ method: 'POST', url: `/v1/triggers/${of}`, headers: on.as(), payload: 'ignored' });
  const one = await call(`checks/${checkId}`);
  assert.deepEqual(Object.keys(one.json<object>()), ['id', 'token', 'created_at', 'called_at', 'checkId']);
  const runs = `/v1/triggers/checks/${checkId}/runs`;
  const listed = await on.server.inject({ url: runs, headers: on.as() });
  const none = { outcome: null, responseTime: null, message: null, resultLink: null };
  assert.deepEqual(listed.json(), [
    { id: one.headers['x-service-run-ids'], checkId, name: 'alone', runLocation: 'local', state: 'running', ...none },
  ]);
  const many = await call('check-groups/3');
  assert.equal(many.headers['x-service-run-ids'], undefined, 'headers stay short');
  const url = `/v1/triggers/check-groups/3/runs?limit=100&callId=${String(many.headers['x-service-call-id'])}`;
  const page = await on.server.inject({ url, headers: on.as() });
  assert.deepEqual([page.headers['content-range'], page.json<object[]>().length], ['0-50/51', 51]);
  const other = await on.server.inject({ url: '/v1/triggers/check-groups/9/runs', headers: on.as() });
  assert.equal(other.statusCode, 404);
});
