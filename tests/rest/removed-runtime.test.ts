// A runtime that is gone, named by an account or a group: what runs in it is unknown and says so, the rest is watched as before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

interface Result {
  readonly outcome: string;
  readonly reason: string | null;
  readonly message: string | null;
}

test('checks with scripts are unknown where their runtime is gone, and those without are watched as before', async (t) => {
  let requests = 0;
  const target = await startTarget(t, (_, response) => {
    requests++;
    response.end();
  });
  const on = await startComposed(t);
  const { must } = asker(() => on.address, on.apiKey);
  const group = await must('POST', '/v1/check-groups', { name: 'Older' });
  const { hostname, port } = new URL(target.url);
  const api = { request: { method: 'GET', url: target.url } };
  const ids: Record<string, string> = {};
  for (const [name, path, settings] of [
    ['plain', 'api', api],
    ['grouped', 'api', { ...api, groupId: group['id'] }],
    ['url', 'url', { request: { url: target.url } }],
    ['tcp', 'tcp', { request: { hostname, port: Number(port) } }],
    ['around', 'api', { ...api, groupId: group['id'], localSetupScript: 'await 1;' }],
    ['script', 'multistep', { script: 'await 1;', scriptPath: 'check.mjs' }],
  ] as const) {
    const check = await must('POST', `/v1/checks/${path}`, { name, frequency: 1440, ...settings });
    ids[name] = String(check['id']);
  }
  const resultsOf = async (id: string) => (await must('GET', `/v1/check-results/${id}`)) as unknown as Result[];
  for (const [name, id] of Object.entries(ids))
    await until(`the first result of ${name}`, async () => (await resultsOf(id))[0]);
  requests = 0;
  // As if they had been given while it was there.
  on.raw.exec(`UPDATE accounts SET runtime_id = '2019.04'`);
  on.raw.exec(`UPDATE check_groups SET definition = json_set(definition, '$.runtimeId', '2019.10')`);
  const [account] = (await must('GET', '/v1/accounts')) as unknown as { readonly id: string }[];
  // Lets the service read the account again.
  await must('PUT', `/v1/accounts/${account?.id}`, { name: 'Renamed' });
  for (const id of Object.values(ids)) await must('POST', `/v1/triggers/checks/${id}`);
  const found: Record<string, readonly unknown[]> = {};
  for (const [name, id] of Object.entries(ids)) {
    const newest = async () => {
      const [last, first] = await resultsOf(id);
      return first === undefined ? undefined : last;
    };
    const { outcome, reason, message } = await until(`a result of ${name}`, newest);
    found[name] = [outcome, reason, message];
  }
  const goneOf = (runtime: string) => [
    'unknown',
    'runtime',
    `not run: runtime ${runtime} is not available on this server; choose another`,
  ];
  const passed = ['passed', null, null];
  assert.deepEqual(found, {
    plain: passed,
    grouped: passed,
    url: passed,
    tcp: passed,
    around: goneOf('2019.10'),
    script: goneOf('2019.04'),
  });
  assert.equal(requests, 3, 'nothing is sent for what is not run');
  const metrics = await (await fetch(`${on.address}/metrics`)).text();
  assert.match(metrics, /^tocsin_verdicts_withheld_total\{reason="runtime"\} 2$/m);
});
