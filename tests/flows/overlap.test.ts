// About PostgreSQL: runs of one check follow each other although two processes of one location run checks.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { firstRun } from '../support/first-run.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { startRoleProcesses } from '../support/role-processes.ts';
import { startTarget } from '../support/target.ts';
import { until } from '../support/until.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

it('about PostgreSQL: two runners never ask the target of one check at the same time', async (t) => {
  let [atOnce, most, asked] = [0, 0, 0];
  const target = await startTarget(t, (_, response) => {
    most = Math.max(most, ++atOnce);
    asked++;
    response.once('close', () => atOnce--);
    setTimeout(() => response.end('ok'), 700);
  });
  const service = await startRoleProcesses(t, await server.newDatabase(), {
    roles: ['api', 'scheduler', 'runner', 'runner', 'deliverer', 'upkeep'],
  });
  const check = { name: 'Cart', frequency: 1440, request: { method: 'GET', url: target.url } };
  const { id } = await service.must('POST', '/v1/checks/api', check);
  await firstRun(service, id);
  const calls = 8;
  for (let call = 0; call < calls; call++) {
    await service.must('POST', `/v1/triggers/checks/${String(id)}`);
    // Each call wakes whichever runner is free.
    await until('the first of them', () => asked > 1);
  }
  await until('all runs', () => asked === calls + 1 && atOnce === 0, { withinMs: 60_000, seen: () => String(asked) });
  assert.equal(most, 1);
});
