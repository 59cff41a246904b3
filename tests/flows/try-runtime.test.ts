// `runtimes try` beside a running service, as a command of its own.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#lib/clock.ts';
import { readRuntimes } from '#sandbox/runtimes/read-runtimes.ts';
import { treeUse } from '#sandbox/containment/process-tree.ts';
import { firstRun } from '../support/service/first-run.ts';
import { runCommand, startCommand } from '../support/service/command.ts';
import { test } from '../support/service/one-process.ts';
import { startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

test('runtimes try uses the checks of the running service, without traces', async ({ t, startService }) => {
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
  await firstRun(service, id);
  requests = 0;
  const resultsOf = async () => (await service.api('GET', `/v1/check-results/${id}`)).body;
  const before = await resultsOf();
  const run = (...words: string[]) => runCommand(['runtimes', 'try', ...words], service.environment);

  const dir = join(import.meta.dirname, '..', '..', 'runtimes');
  const options = { now: systemClock.now(), projectNode: process.execPath, lastStages: new Map() };
  const { notInstalled } = await readRuntimes(dir, options);
  const other = await run('2026.04', '--checks', id, '--json');
  if (notInstalled.includes('2026.04')) {
    assert.deepEqual([other.code, other.out], [1, '']);
    assert.match(other.err, /runtime 2026\.04 is not installed: run npm run tocsin -- runtimes install 2026\.04/);
  } else {
    assert.equal(other.code, 0, other.err);
    assert.equal(requests, 2);
    assert.match(other.out, /"change": "same"/);
  }

  const already = await run('2026.10');
  assert.deepEqual(
    [already.code, already.out],
    [0, '0 checks compared with 2026.10, 0 same, 0 worse, 0 better, 1 already use it.\n'],
  );
  const unknown = await run('2026.1');
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /unknown runtime 2026\.1 \(did you mean 2026\.10\?\)/);
  const nobody = await run('2026.10', '--checks', '0198a000-0000-7000-8000-0000000000ff');
  assert.equal(nobody.code, 1);
  assert.match(nobody.err, /no check with scripts has the id 0198a000-0000-7000-8000-0000000000ff/);
  assert.equal((await run()).code, 2);

  assert.deepEqual(await resultsOf(), before);
});

test('Ctrl-C during runtimes try ends every process of its scripts, leaves no file, and exits with 130', async ({
  t,
  startService,
}) => {
  // The command needs only stored data, no running service.
  const service = await startService(t, {});
  // Child processes that never end, one of them in its own group like a browser.
  const script = `import { spawn } from 'node:child_process';
const sleeps = [true, false].map((detached) => spawn('sleep', ['600'], { detached, stdio: 'ignore' }));
await Promise.all(sleeps.map((each) => new Promise((resolve) => each.once('spawn', resolve))));
setInterval(() => {}, 1000);
`;
  await service.must('POST', '/v1/checks/multistep', {
    name: 'Endless',
    frequency: 1440,
    scriptPath: 'check.mjs',
    script,
  });
  // Not the tried runtime, installed or not.
  service.rows((raw) => raw.exec(`UPDATE accounts SET runtime_id = '2026.04'`));
  const folder = mkdtempSync(join(tmpdir(), 'try-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const running = startCommand(['runtimes', 'try', '2026.10'], { ...service.environment, TMPDIR: folder });
  const { pid } = running.child;
  assert.ok(pid !== undefined);
  t.after(() => running.child.kill('SIGKILL'));
  // The service also runs a new check once, in processes that do not belong to the command.
  const sleeps = () => treeUse(pid).processes.filter((each) => commandOf(each) === 'sleep');
  await until('both programs of the script', () => sleeps().length === 2, { seen: () => sleeps().join() });
  const processes = new Map(treeUse(pid).processes.map((each) => [each, startOf(each)]));
  // An impatient user presses twice.
  for (let presses = 0; presses < 2; presses++) running.child.kill('SIGINT');

  const { code, out, err } = await running.ended;
  assert.deepEqual([code, out], [130, ''], err);
  assert.match(err, /tocsin: stopped before all checks were tried/);
  assert.deepEqual(readdirSync(folder), []);
  const left = () => [...processes].filter(([each, at]) => startOf(each) === at);
  await until('the end of every process', () => left().length === 0, { seen: () => JSON.stringify(left()) });
});

/** Program name of a process; undefined = it has ended. */
function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Start time of a process, which distinguishes reused numbers; null = it has ended. */
function startOf(pid: number): string | null {
  try {
    const facts = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return facts[0] === 'Z' ? null : (facts[19] ?? null);
  } catch {
    return null;
  }
}
