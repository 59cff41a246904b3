// About PostgreSQL: runs of one check never overlap, even with two runners at one location.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { firstRun } from '../support/service/first-run.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { startRoleProcesses } from '../support/service/role-processes.ts';
import { startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

const server = await sharedPostgres();

it('about PostgreSQL: two runners never probe the target of one check at the same time', async (t) => {
  let [atOnce, max, asked] = [0, 0, 0];
  const target = await startTarget(t, (_, response) => {
    max = Math.max(max, ++atOnce);
    asked++;
    response.once('close', () => atOnce--);
    setTimeout(() => response.end('ok'), 700);
  });
  const service = await startRoleProcesses(t, await server.newDatabase(), {
    processes: [{ roles: ['api', 'scheduler', 'runner'] }, { roles: ['runner'] }],
  });
  const check = { name: 'Cart', frequency: 1440, request: { method: 'GET', url: target.url } };
  const { id } = await service.must('POST', '/v1/checks/api', check);
  await firstRun(service, id);
  const calls = 8;
  for (let call = 0; call < calls; call++) {
    await service.must('POST', `/v1/triggers/checks/${String(id)}`);
    // Each call wakes a free runner.
    await until('the first of them', () => asked > 1);
  }
  await until('all runs', () => asked === calls + 1 && atOnce === 0, { withinMs: 60_000, seen: () => String(asked) });
  assert.equal(max, 1);
});
