// Metrics of several processes add up to the results, and identify their process.
import assert from 'node:assert/strict';
import { casesOn } from '../support/service/flow-cases.ts';
import { metricSums } from '../support/service/metric-sums.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

const { test } = casesOn(['two processes, PostgreSQL']);
const secret = 'a secret between two';
const delays = 'tocsin_run_start_delay_seconds';

test('runs, their delays and delivery attempts are counted once each, by outcome', async ({ t, startService }) => {
  const service = await startService(t);
  const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
  target.answer(({ url }) => ({ status: url === '/down' ? 500 : 200 }));
  // One channel is notified at once, the other rejects its deliveries.
  receiver.answer(({ hit }) => ({ status: hit.url === '/busy' ? 500 : 200 }));
  const { id: groupId } = await service.must('POST', '/v2/check-groups', { name: 'Shops' });
  for (const path of ['/busy', '/free']) {
    const config = { url: receiver.url + path, webhookSecret: secret };
    await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config, subscriptions: [{ groupId }] });
  }
  for (const path of ['/up', '/also-up', '/down']) {
    const request = { method: 'GET', url: target.url + path };
    const once = { doubleCheck: false, retryStrategy: { type: 'NO_RETRIES' } };
    await service.must('POST', '/v1/checks/api', { name: path, frequency: 1440, groupId, request, ...once });
  }
  const { token } = await service.must('POST', `/v1/triggers/check-groups/${String(groupId)}`);
  await service.api('GET', `/check-groups/${String(groupId)}/trigger/${String(token)}?maxWaitSeconds=60`);
  const attempts = (status: string): string => `tocsin_delivery_attempts_total{status="${status}"}`;
  const sums = await until('both attempts to be counted', async () => {
    const all = await metricSums(service);
    return all.get(attempts('pending')) === 1 && all.get(attempts('delivered')) === 1 && all;
  });
  // Each check also ran when it was created, unless its trigger came first.
  const recorded = service.rows((raw) =>
    raw.prepare('SELECT outcome, count(*) AS n FROM results GROUP BY outcome ORDER BY outcome').all(),
  );
  const counted = ['passed', 'failed'].map((outcome) => sums.get(`tocsin_runs_total{outcome="${outcome}"}`));
  assert.deepEqual(
    counted,
    recorded.map(({ n }) => Number(n)),
    JSON.stringify(recorded),
  );
  assert.ok((counted[0] ?? 0) >= 2 && (counted[1] ?? 0) >= 1, JSON.stringify(counted));
  const begun = recorded.reduce((sum, { n }) => sum + Number(n), 0);
  assert.deepEqual([sums.get(`${delays}_count`), sums.get(`${delays}_bucket{le="+Inf"}`)], [begun, begun]);
  const late = sums.get(`${delays}_sum`) ?? Number.NaN;
  assert.ok(late >= 0 && late < 30 * begun, `${late} s`);
  assert.equal(sums.get('tocsin_slots_missed_total'), 0);
});

test('each process identifies itself as in the list of processes', async ({ t, startService }) => {
  const place = { TOCSIN_LOCATION: 'eu-west-1' };
  const service = await startService(t, place);
  const listed = (await service.must('GET', '/v1/processes')) as unknown as readonly {
    readonly id: string;
    readonly roles: readonly string[];
    readonly version: string;
    readonly location: string;
  }[];
  const expected = listed.map(
    ({ id, roles, version, location }) =>
      `tocsin_process_info{process="${id}",roles="${roles.join(',')}",version="${version}",location="${location}"}`,
  );
  assert.equal(listed.length, service.addresses.length);
  assert.ok(
    listed.every(({ location }) => location === place.TOCSIN_LOCATION),
    JSON.stringify(listed),
  );
  const reported = [...(await metricSums(service))].filter(([name]) => name.startsWith('tocsin_process_info{'));
  assert.deepEqual(Object.fromEntries(reported), Object.fromEntries(expected.map((line) => [line, 1])));
});
