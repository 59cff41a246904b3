// A change to many checks goes on after its process was killed, and changes each check once.
import assert from 'node:assert/strict';
import { test } from '../support/service/one-process.ts';
import { until } from '../support/until.ts';

const count = 600;
const atOnce = 200;
/** The lease of the killed process ends after ten seconds. */
const withinMs = 60_000;

test('a change to 600 checks that is killed in the middle goes on after the restart', async ({ t, startService }) => {
  const service = await startService(t, { TOCSIN_ROLES: 'api' });
  const checkIds: string[] = [];
  for (let from = 0; from < count; from += atOnce) {
    const checks = Array.from({ length: atOnce }, (_, index) => ({
      checkType: 'TCP',
      name: `check ${from + index}`,
      request: { hostname: '127.0.0.1', port: 1 },
    }));
    const made = await service.must('POST', '/v1/check-imports', { checks });
    checkIds.push(...(made['checks'] as { id: string }[]).map(({ id }) => id));
  }
  const { id } = await service.must('POST', '/v1/check-changes', { checkIds, change: { frequency: 5 } });
  const read = () => service.must('GET', `/v1/check-changes/${String(id)}`);
  await until('the first checks to be changed', async () => Number((await read())['changed']) > 0);
  await service.kill();
  await service.restart();
  const ended = await until(
    'the end of the change',
    async () => {
      const change = await read();
      return change['status'] === 'ended' && change;
    },
    { withinMs },
  );
  assert.deepEqual([ended['changed'], ended['remaining']], [count, 0]);
  const stored = service.rows((raw) => ({
    changed: raw.prepare(`SELECT count(*) AS rows FROM checks WHERE definition LIKE '%"frequency":5,%'`).get()?.[
      'rows'
    ],
    entries: raw
      .prepare(`SELECT count(*) AS rows FROM audit_log WHERE operation = 'createCheckChange' AND resource = 'check'`)
      .get()?.['rows'],
  }));
  assert.deepEqual(stored, { changed: count, entries: count }, 'each check was changed once');
});
