// `runtimes try` beside a running service, as a command of its own.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { systemClock } from '#lib/clock.ts';
import { readRuntimes } from '#runtimes/read-runtimes.ts';
import { runCommand } from '../support/command.ts';
import { test } from '../support/each-topology.ts';
import { startTarget } from '../support/target.ts';

test('runtimes try reads the checks beside the running service, and leaves no trace', async ({ t, startService }) => {
  let requests = 0;
  const target = await startTarget(t, (request, response) => {
    if (request.headers['x-turn'] === 'secret-turn') requests++;
    response.end();
  });
  const service = await startService(t, {});
  await service.must('POST', '/v1/variables', { key: 'TURN', value: 'secret-turn', secret: true });
  const check = await service.must('POST', '/v1/checks/api', {
    name: 'Cart',
    frequency: 1440,
    request: { method: 'GET', url: target.url },
    localSetupScript: `request.headers['x-turn'] = process.env.TURN;`,
  });
  const id = String(check['id']);
  const run = (...words: string[]) => runCommand(['runtimes', 'try', ...words], service.environment);

  const dir = join(import.meta.dirname, '..', '..', 'runtimes');
  const options = { now: systemClock.now(), projectNode: process.execPath, lastStages: new Map() };
  const { notInstalled } = await readRuntimes(dir, options);
  const other = await run('2026.04', '--checks', id, '--json');
  if (notInstalled.includes('2026.04')) {
    assert.deepEqual([other.code, other.out], [1, '']);
    assert.match(other.err, /runtime 2026\.04 is not installed: npm run tocsin -- runtimes install 2026\.04/);
  } else {
    assert.equal(other.code, 0, other.err);
    assert.equal(requests, 2);
    assert.match(other.out, /"change": "same"/);
  }

  const already = await run('2026.10');
  assert.deepEqual(
    [already.code, already.out],
    [0, '0 tried in 2026.10, 0 the same, 0 worse, 0 better, 1 run in it already.\n'],
  );
  const unknown = await run('2026.1');
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /there is no runtime 2026\.1.*2026\.10/);
  const nobody = await run('2026.10', '--checks', '0198a000-0000-7000-8000-0000000000ff');
  assert.equal(nobody.code, 1);
  assert.match(nobody.err, /there is no check 0198a000-0000-7000-8000-0000000000ff with scripts here/);
  assert.equal((await run()).code, 2);

  const { body } = await service.api('GET', `/v1/check-results/${id}`);
  assert.deepEqual(body, []);
});
