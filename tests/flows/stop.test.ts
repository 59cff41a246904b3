// SIGTERM while everything hangs: work is released, and the next process completes it.
import assert from 'node:assert/strict';
import { test as it } from '../support/service/each-topology.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';

it('ends within 10 s; the attempt is interrupted and repeated, the probe is run again and recorded once', async ({
  t,
  startService,
}) => {
  const service = await startService(t, {});
  const [failing, hanging] = [await startScriptedServer(t), await startScriptedServer(t)];
  const receiver = await startReceiver(t, secret);
  failing.answer({ status: 500 });
  hanging.answer('hang');
  receiver.answer('hang');
  const config = { url: receiver.url, webhookSecret: secret };
  await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
  const group = await service.must('POST', '/v2/check-groups', { name: 'both' });
  const make = async (name: string, url: string): Promise<string> => {
    const request = { method: 'GET', url };
    const body = { name, frequency: 1440, groupId: group['id'], activated: false, request };
    return String((await service.must('POST', '/v1/checks/api', body))['id']);
  };
  const failed = await make('failing', failing.url);
  const hung = await make('hanging', hanging.url);
  const trigger = await service.must('POST', `/v1/triggers/check-groups/${String(group['id'])}`);
  // New checks run at once.
  for (const id of [failed, hung]) await service.must('PUT', `/v1/checks/${id}`, { activated: true });
  const first = await receiver.received(() => true);
  await hanging.hits(1);
  // A client that waits for the verdicts is disconnected, too.
  const waiting = fetch(
    `${service.address}/check-groups/${String(group['id'])}/trigger/${String(trigger['token'])}?maxWaitSeconds=600`,
  ).then(
    ({ status }) => status,
    () => 'closed' as const,
  );
  // Its second run waits for the first, because runs of one check do not overlap.
  const open = `SELECT count(*) AS n FROM runs WHERE leased_by IS NOT NULL`;
  await until('two runs of the check that hangs', () => service.rows((raw) => raw.prepare(open).get()?.['n'] === 2));
  const resultsOf = async (id: string) =>
    (await service.must('GET', `/v1/check-results/${id}`)) as unknown as { hasFailures: boolean }[];
  await until('both failures on record', async () => (await resultsOf(failed)).length === 2);

  const ended = await service.stop();
  assert.deepEqual([ended.code, ended.signal], [0, null]);
  assert.ok(ended.tookMs < 10_000, `${ended.tookMs} ms`);
  assert.ok(['closed', 503, 408].includes(await waiting), `the waiting client received ${await waiting}`);
  await assert.rejects(fetch(`${service.address}/health/live`), 'nobody is answered any more');
  const count = (sql: string): number => service.rows((raw) => Number(Object.values(raw.prepare(sql).get() ?? {})[0]));
  assert.equal(
    count('SELECT count(*) FROM runs WHERE leased_by IS NULL'),
    2,
    'both runs are free for the next process',
  );
  assert.equal(count('SELECT count(*) FROM deliveries WHERE status = 0'), 1);
  assert.equal(count('SELECT count(*) FROM processes'), 0, 'nobody is said to live');

  hanging.answer({ status: 200 });
  receiver.answer({ status: 200 });
  await service.restart();
  assert.doesNotMatch(service.printed, /store\.recovered/, 'it was no crash');
  const delivery = await until('the delivery to end', async () => {
    const read = await service.must('GET', `/v1/deliveries/${first.deliveryId}`);
    return read['status'] === 'delivered' && read;
  });
  assert.deepEqual(
    (delivery['attempts'] as { number: number; error?: { class: string } }[]).map(({ number, error }) => [
      number,
      error?.class,
    ]),
    [
      [1, 'interrupted'],
      [1, undefined],
    ],
  );
  const results = await until('both runs of the check that hung', async () => {
    const list = await resultsOf(hung);
    return list.length >= 2 && list;
  });
  assert.deepEqual(
    results.map(({ hasFailures }) => hasFailures),
    [false, false],
  );
  const reported = receiver.all.filter(({ json }) => json['ALERT_TYPE'] === 'ALERT_FAILURE');
  assert.deepEqual(
    reported.map(({ deliveryId, attempt }) => [deliveryId, attempt]),
    [
      [first.deliveryId, 1],
      [first.deliveryId, 1],
    ],
  );
  assert.match(await (await fetch(`${service.address}/metrics`)).text(), /^tocsin_conservation_difference 0$/m);
});
