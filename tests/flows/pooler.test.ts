// Two processes that reach PostgreSQL through a pooler in transaction mode, with and without wake-ups, and without a
// pooler if nothing listens.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCommand } from '../support/service/command.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { type Cleanup, startScriptedServer } from '../support/targets/scripted-server.ts';
import { type Service, startService } from '../support/service/service.ts';
import { isMissing, startPgBouncer } from '../support/postgres/pgbouncer.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';
const secretKey = 'ab'.repeat(32);
const server = await sharedPostgres();

/** The API in one process, the work in another. */
async function startTwo(t: Cleanup, environment: NodeJS.ProcessEnv): Promise<readonly [Service, Service]> {
  const shared = { TOCSIN_SECRET_KEY: secretKey, TOCSIN_PROBE_THREADS: '1', LOG_LEVEL: 'debug', ...environment };
  const api = await startService(t, { ...shared, TOCSIN_ROLES: 'api,scheduler' });
  const worker = await startService(t, { ...shared, TOCSIN_ROLES: 'runner,deliverer,upkeep' });
  return [api, worker];
}

/** A trigger that waits for its runs, then a failure and recovery, alerted and signed. */
async function fromCheckToAlert(t: Cleanup, api: Service): Promise<void> {
  const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
  const { id: groupId } = await api.must('POST', '/v2/check-groups', { name: 'Shops' });
  const request = { method: 'GET', url: target.url };
  for (let n = 0; n < 5; n++)
    await api.must('POST', '/v1/checks/api', { name: `Cart ${n}`, frequency: 1440, groupId, request });
  const config = { url: receiver.url, webhookSecret: secret };
  await api.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config, subscriptions: [{ groupId }] });
  const { token } = await api.must('POST', `/v1/triggers/check-groups/${String(groupId)}`);
  await target.hits(5);
  const url = `/check-groups/${String(groupId)}/trigger/${String(token)}?maxWaitSeconds=60`;
  for (const [status, answer, type] of [
    [500, 503, 'ALERT_FAILURE'],
    [200, 200, 'ALERT_RECOVERY'],
  ] as const) {
    target.answer({ status });
    const batch = await api.api('GET', url);
    assert.deepEqual([batch.status, (batch.body as unknown as unknown[]).length], [answer, 5], JSON.stringify(batch));
    await until(
      `five times ${type}`,
      () => receiver.all.filter(({ json }) => json['ALERT_TYPE'] === type).length === 5,
    );
  }
  const metrics = async (): Promise<string> => (await fetch(`${api.address}/metrics`)).text();
  await until('every delivery to be settled', async () => /^tocsin_deliveries_pending 0$/m.test(await metrics()));
  assert.match(await metrics(), /^tocsin_conservation_difference 0$/m);
}

describe('about PostgreSQL: PgBouncer in transaction mode', { skip: isMissing }, () => {
  it('works; wake-ups are disabled, with an explanation', async (t) => {
    const database = await server.newDatabase();
    const url = await startPgBouncer(t, server, database);
    const [api, worker] = await startTwo(t, { DATABASE_URL: url });
    await fromCheckToAlert(t, api);
    for (const { printed } of [api, worker]) assert.match(printed, /TOCSIN_LISTEN_URL.*store\.polling/);
    const { port } = new URL(api.address);
    const throughIt = { ...api.environment, DATABASE_URL: url, TOCSIN_SECRET_KEY: secretKey, PORT: port };
    for (const [listen, says] of [
      [{}, /warning +wake-ups +the connection goes through a pooler: set TOCSIN_LISTEN_URL/],
      [{ TOCSIN_LISTEN_URL: url }, /warning +wake-ups +the connection goes through a pooler/],
      [{ TOCSIN_LISTEN_URL: database.url }, /ok +wake-ups +direct connection, LISTEN is available/],
      [{ TOCSIN_LISTEN_URL: 'off' }, /ok +wake-ups +off: each process polls every second/],
    ] as const) {
      const said = await runCommand(['doctor'], { ...throughIt, ...listen });
      assert.match(said.out, says);
      assert.equal(said.code, 0, said.out);
    }
  });

  it('is bypassed for wake-ups if TOCSIN_LISTEN_URL names the database itself', async (t) => {
    const database = await server.newDatabase();
    const [api, worker] = await startTwo(t, {
      DATABASE_URL: await startPgBouncer(t, server, database),
      TOCSIN_LISTEN_URL: database.url,
    });
    await fromCheckToAlert(t, api);
    for (const { printed } of [api, worker]) assert.match(printed, /store\.listening/);
    assert.doesNotMatch(worker.printed, /store\.polling/);
  });
});

describe('about PostgreSQL: without wake-ups', () => {
  it('nothing is lost: each process finds the work of others by polling', async (t) => {
    const database = await server.newDatabase();
    const [api, worker] = await startTwo(t, { DATABASE_URL: database.url, TOCSIN_LISTEN_URL: 'off' });
    await fromCheckToAlert(t, api);
    assert.doesNotMatch(worker.printed, /store\.(listening|polling)/);
  });
});
