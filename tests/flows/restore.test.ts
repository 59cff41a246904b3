// A restored backup sends nothing unasked, and open alerts are still resolved.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand as tocsin } from '../support/service/command.ts';
import { firstRun } from '../support/service/first-run.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { startService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const secret = 'whsec_restore';

test('about the file: a restore holds deliveries, reports the rollback, and still sends recoveries of later alerts', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-restore-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const service = await startService(t, {}, { dataDir, enter: [] });
  const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
  const config = { url: receiver.url, webhookSecret: secret };
  await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
  const request = { method: 'GET', url: target.url };
  const check = await service.must('POST', '/v1/checks/api', { name: 'Cart', frequency: 1440, request });
  const id = String(check['id']);
  await firstRun(service, id);
  const environment = { TOCSIN_DATA_DIR: dataDir };
  const copy = join(folder, 'copy.db');
  assert.equal((await tocsin(['backup', copy], environment)).code, 0);
  target.answer({ status: 500 });
  await service.must('POST', `/v1/triggers/checks/${id}`);
  await receiver.alert('ALERT_FAILURE');
  await until('the attempt on record', async () => {
    const listed = (await service.must('GET', '/v1/deliveries')) as unknown as { status: string }[];
    return listed[0]?.status === 'delivered';
  });
  await service.stop();

  const said = await tocsin(['restore', copy], environment);
  assert.equal(said.code, 0, said.err);
  assert.match(said.out, /Data was rolled back to .*\nCopied 1 check states/);
  assert.match(said.out, /Deliveries are held at the next start/);
  await service.restart();
  assert.match(service.printed, /deliveries\.held/);
  assert.match(service.printed, /data\.rolled-back/);
  const ready = (await (await fetch(`${service.address}/health/ready`)).json()) as { status: string; notes: string[] };
  assert.match(ready.notes.join(), /^Deliveries have been held since .* because the backup of .* was restored\.$/);
  const notices = (await service.must('GET', '/v1/notices')) as unknown as { kind: string; message: string }[];
  assert.deepEqual(notices.map(({ kind }) => kind).sort(), ['deliveries-held', 'rollback']);
  assert.match(notices.find(({ kind }) => kind === 'rollback')?.message ?? '', /^Data was rolled back to /);
  assert.equal((await service.must('GET', `/v1/check-statuses/${id}`))['state'], 'failing');

  target.answer({ status: 500 });
  await service.must('POST', `/v1/triggers/checks/${id}`);
  target.answer({ status: 200 });
  await service.must('POST', `/v1/triggers/checks/${id}`);
  await until('the recovery to wait', async () => (await service.must('GET', '/v1/held-deliveries'))['waiting'] === 1);
  assert.equal(receiver.all.length, 1, 'nothing was sent since');
  const [waiting] = (await service.must('GET', '/v1/deliveries')) as unknown as { id: string }[];
  const retried = await service.api('POST', `/v1/deliveries/${waiting?.id}/retry`);
  assert.equal(retried.status, 409);
  assert.match(JSON.stringify(retried.body), /have been held since .*held-deliveries\/release/);
  const inspected = await tocsin(['doctor'], environment);
  assert.match(
    inspected.out,
    /warning +deliveries +deliveries have been held since .* a backup was restored\. .*\/release/,
  );
  const released = await service.must('POST', '/v1/held-deliveries/release');
  assert.deepEqual([released['isHeld'], released['released']], [false, 1]);
  assert.doesNotMatch((await tocsin(['doctor'], environment)).out, /have been held since/);
  await receiver.alert('ALERT_RECOVERY');
  assert.equal(receiver.all.length, 2, 'and the failure was not alerted again');
});

test('about the file: a copy started with TOCSIN_DELIVERIES=held sends nothing until released', async (t) => {
  const service = await startService(t, { TOCSIN_DELIVERIES: 'held' });
  const receiver = await startReceiver(t, secret);
  const config = { url: receiver.url, webhookSecret: secret };
  const channel = await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
  const tried = await service.api('POST', `/v1/alert-channels/${String(channel['id'])}/test`);
  assert.equal(tried.status, 409, 'a test message is not sent either, and says so');
  const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
  await service.must('POST', '/v1/checks/api', { name: 'Cart', frequency: 1440, request });
  await until('the failure to wait', async () => (await service.must('GET', '/v1/held-deliveries'))['waiting'] === 1);
  const discarded = await service.must('POST', '/v1/held-deliveries/discard');
  assert.deepEqual([discarded['waiting'], discarded['discarded']], [0, 1]);
  const [delivery] = (await service.must('GET', '/v1/deliveries')) as unknown as { status: string }[];
  assert.deepEqual([delivery?.status, receiver.all.length], ['cancelled', 0]);
});
