// The services of deploy/compose.postgres.yaml as plain processes, on a database created as in docs/postgresql.md: from
// a check to an alert, listed by GET /v1/processes, and stopped cleanly.
import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { roles } from '#config/variables.ts';
import { paste } from '../support/service/command.ts';
import { root, succeeds } from '../support/service/deploy-files.ts';
import { blockOf, readPage } from '../support/pages.ts';
import { type OwnPostgres, startPostgres } from '../support/postgres/postgres.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { metricsToken, startTopology } from '../support/service/topology.ts';
import { until } from '../support/until.ts';

const variables = {
  ADMIN_PASSWORD: 'a'.repeat(64),
  DATABASE_PASSWORD: `b'${'b'.repeat(32)}`,
  SECRET_KEY: 'c'.repeat(64),
};
const noPsql = !succeeds('psql', '--version') && 'there is no psql on this machine: its statements are tried';

let server: OwnPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

/**
 * Creates role and database `tocsin` with the commands of docs/postgresql.md, or with its statements if psql is
 * missing.
 */
async function makeDatabase(t: TestContext): Promise<void> {
  const page = readPage('docs/postgresql.md');
  const { DATABASE_PASSWORD } = variables;
  // The test server already has a role of that name.
  await server.admin('DROP ROLE tocsin');
  await t.test('role and database are made by psql, by the lines of the page', { skip: noPsql }, async () => {
    const [, ...lines] = blockOf(page, 'sh', 'create-database').split('\n');
    const place = { PGHOST: server.socketDir, PGPORT: String(server.port), PGUSER: 'postgres' };
    const { code, err } = await paste(lines.join('\n'), root, { ...place, DATABASE_PASSWORD });
    assert.deepEqual([code, err], [0, '']);
  });
  if (noPsql !== false) {
    const quoted = `'${DATABASE_PASSWORD.replaceAll(`'`, `''`)}'`;
    const statements = blockOf(page, 'sql', 'create-database').replace(`'choose-a-long-one'`, () => quoted);
    for (const statement of statements.split('\n')) await server.admin(statement);
  }
}

test('about PostgreSQL: the services of deploy/compose.postgres.yaml deliver an alert for a failing check, and stop with 0', async (t) => {
  await makeDatabase(t);
  const [rights] = await server.admin(
    `SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS more,
       has_database_privilege('public', 'tocsin', 'CONNECT') AS open FROM pg_roles WHERE rolname = 'tocsin'`,
  );
  assert.deepEqual(rights, { more: false, open: false });
  const topology = await startTopology(t, variables, server.port);
  const { api } = topology;

  const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, 'a secret between two')];
  target.answer({ status: 503 });
  const config = { url: receiver.url, webhookSecret: 'a secret between two' };
  await api.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
  const request = { method: 'GET', url: target.url };
  const check = await api.must('POST', '/v1/checks/api', {
    name: 'Cart',
    frequency: 0,
    frequencyOffset: 10,
    request,
  });
  const alert = await receiver.alert('ALERT_FAILURE', 30_000);
  assert.equal(alert.json['CHECK_ID'], check['id']);

  const listed = (await api.must('GET', '/v1/processes')) as unknown as readonly Record<string, unknown>[];
  const shown = listed.map((one) => `${String(one['roles'])} ${String(one['version'])} ${String(one['status'])}`);
  t.diagnostic(`GET /v1/processes: ${shown.join('; ')}`);
  assert.deepEqual(listed.map((one) => String(one['roles'])).toSorted(), [...roles].toSorted());
  assert.ok(listed.every((one) => one['status'] === 'alive'));
  assert.equal(new Set(listed.map((one) => one['version'])).size, 1);

  const metrics = async (): Promise<string> =>
    (await fetch(`${api.address}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })).text();
  await until('the delivery to be settled', async () => /^tocsin_deliveries_pending 0$/m.test(await metrics()));
  assert.match(await metrics(), /^tocsin_conservation_difference 0$/m);
  assert.deepEqual(
    await topology.stop(),
    roles.map(() => 0),
  );
});
