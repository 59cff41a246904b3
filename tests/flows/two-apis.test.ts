// Two API processes on one PostgreSQL see each other's changes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { apiKey, startService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const server = await sharedPostgres();

it('about PostgreSQL: keys, triggers and batches are the same at both, and the list of processes has both', async (t) => {
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

  // A trigger created at one is called at the other, and the waiting client is woken by a runner.
  const target = await startScriptedServer(t);
  const { id } = await two.must('POST', '/v1/checks/api', {
    name: 'Cart',
    frequency: 1440,
    request: { method: 'GET', url: target.url },
  });
  const { token } = await two.must('POST', `/v1/triggers/checks/${String(id)}`);
  const events = await fetch(`${one.address}/v1/events`, { headers: { authorization: `Bearer ${apiKey}` } });
  const stream = readEvents(events);
  await until('hello', async () => stream.text().includes('event: hello'));
  const batch = await one.api('GET', `/checks/${String(id)}/trigger/${String(token)}?maxWaitSeconds=30`);
  assert.equal(batch.status, 200, JSON.stringify(batch.body));
  // Results that the other process recorded are streamed.
  await until('the result on the stream', async () => stream.text().includes(`"results":["${String(id)}"]`));

  // Work of a process is reported with its heartbeats, at both.
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
  // The metric belongs to the process that is queried.
  const leasedBy = async ({ address }: { readonly address: string }): Promise<string | undefined> => {
    const text = await (await fetch(`${address}/metrics`)).text();
    return /^tocsin_leases_held\{what="runs"\} (\d+)$/m.exec(text)?.[1];
  };
  assert.deepEqual([await leasedBy(one), await leasedBy(two)], ['0', '1']);
  for (const { startedAt, lastSeenAt } of holding) {
    const seenAt = Date.parse(lastSeenAt);
    assert.ok(seenAt > Date.parse(startedAt) && Math.abs(Date.now() - seenAt) < 15_000, `${startedAt} ${lastSeenAt}`);
  }

  // A key revoked at one is refused by the other, which had it cached.
  const made = await one.must('POST', '/v1/api-keys', { name: 'CI', role: 'read-only' });
  const headers = { authorization: `Bearer ${String(made['key'])}` };
  assert.equal((await two.api('GET', '/v1/checks', undefined, headers)).status, 200);
  await one.must('DELETE', `/v1/api-keys/${String(made['id'])}`);
  await until('the key to be dead at the other', async () => {
    const { status } = await two.api('GET', '/v1/checks', undefined, headers);
    return status === 401;
  });

  // A cleanly stopped process leaves the list; a killed one becomes silent.
  assert.equal((await one.stop()).code, 0);
  await stream.ended;
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

/** Server-sent events as they arrive. */
function readEvents({ body }: Response): { readonly text: () => string; readonly ended: Promise<void> } {
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
  };
  return { text: () => text, ended: read() };
}
