// Two processes that serve the API over one PostgreSQL: what one changes the other goes by.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

it('about PostgreSQL: a key, a trigger and a batch are the same at either, and the list of processes names both', async (t) => {
  const { url } = await server.newDatabase();
  const shared = { DATABASE_URL: url, TOCSIN_SECRET_KEY: 'ab'.repeat(32), TOCSIN_PROBE_THREADS: '1' };
  const one = await startService(t, { ...shared, TOCSIN_ROLES: 'api' });
  const two = await startService(t, { ...shared, TOCSIN_ROLES: 'api,scheduler,runner,deliverer,upkeep' });

  const processes = await until('both to know of each other', async () => {
    const { body } = await one.api('GET', '/v1/processes');
    const list = body as unknown as { roles: string[]; status: string; pid: number }[];
    return list.length === 2 && list;
  });
  assert.deepEqual(
    processes.map(({ roles, status }) => `${roles.length} ${status}`),
    ['1 alive', '5 alive'],
  );

  // A trigger made at one is called at the other; who waits is woken by a process that runs the checks.
  const target = await startScriptedServer(t);
  const { id } = await two.must('POST', '/v1/checks/api', {
    name: 'Cart',
    frequency: 1440,
    request: { method: 'GET', url: target.url },
  });
  const { token } = await two.must('POST', `/v1/triggers/checks/${String(id)}`);
  const batch = await one.api('GET', `/checks/${String(id)}/trigger/${String(token)}?maxWaitSeconds=30`);
  assert.equal(batch.status, 200, JSON.stringify(batch.body));

  // What a process holds is told with its signs of life, here and at the other.
  target.answer('hang');
  await one.api('GET', `/checks/${String(id)}/trigger/${String(token)}?maxWaitSeconds=1`);
  await target.hits(2);
  const holding = await until('the probe to be held', async () => {
    const { body } = await one.api('GET', '/v1/processes');
    const list = body as unknown as { startedAt: string; lastSeenAt: string; holds: { runs: number } }[];
    return list.some(({ holds }) => holds.runs > 0) && list;
  });
  assert.deepEqual(
    holding.map(({ holds }) => holds),
    [
      { runs: 0, deliveries: 0 },
      { runs: 1, deliveries: 0 },
    ],
  );
  // The metric is that of the process that is asked.
  const heldBy = async ({ address }: { readonly address: string }): Promise<string | undefined> => {
    const text = await (await fetch(`${address}/metrics`)).text();
    return /^tocsin_leases_held\{what="runs"\} (\d+)$/m.exec(text)?.[1];
  };
  assert.deepEqual([await heldBy(one), await heldBy(two)], ['0', '1']);
  for (const { startedAt, lastSeenAt } of holding) {
    const seenAt = Date.parse(lastSeenAt);
    assert.ok(seenAt > Date.parse(startedAt) && Math.abs(Date.now() - seenAt) < 15_000, `${startedAt} ${lastSeenAt}`);
  }

  // A key revoked at one is refused by the other, which had it in memory.
  const made = await one.must('POST', '/v1/api-keys', { name: 'CI', role: 'read-only' });
  const headers = { authorization: `Bearer ${String(made['key'])}` };
  assert.equal((await two.api('GET', '/v1/checks', undefined, headers)).status, 200);
  await one.must('DELETE', `/v1/api-keys/${String(made['id'])}`);
  await until('the key to be dead at the other', async () => {
    const { status } = await two.api('GET', '/v1/checks', undefined, headers);
    return status === 401;
  });

  // A process that stops in good order leaves the list; one that is killed is silent.
  assert.equal((await one.stop()).code, 0);
  const left = (await two.api('GET', '/v1/processes')).body as unknown as { pid: number }[];
  assert.equal(left.length, 1);
  const three = await startService(t, { ...shared, TOCSIN_ROLES: 'api' });
  assert.equal((await three.kill()).signal, 'SIGKILL');
  await until('the one that was killed to be silent', async () => {
    const { body } = await two.api('GET', '/v1/processes');
    const statuses = (body as unknown as { status: string }[]).map(({ status }) => status);
    return statuses.join() === 'alive,silent';
  });
});
