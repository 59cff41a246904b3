// Traces of multi-step checks: what their tests asked and were answered, kept as their check says, without a secret.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startComposed } from '../support/service/composed.ts';
import { readTrace } from '../support/scripts/read-trace.ts';
import { runPlain } from '../support/scripts/script-runs.ts';
import { asker } from '../support/service/service.ts';
import { startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';
import { unzip } from '../support/scripts/unzip.ts';

interface Asset {
  readonly sort: string;
  readonly contentType: string;
  readonly link: string;
}

const secret = 'hush-hush-token';
/** The same with an escape of HTML and one of URLs. */
const mixed = 'hush&#45;hush%2Dtoken';
const script = `import { test, expect } from '@playwright/test';
test('an order can be placed', async ({ request }) => {
  const basic = Buffer.from('shop:' + process.env.TOKEN).toString('base64');
  console.log('${mixed}');
  const headers = { 'x-token': process.env.TOKEN, 'x-mixed': '${mixed}', authorization: 'Basic ' + basic };
  const answer = await request.post(process.env.SHOP + '/orders', { headers, data: { token: process.env.TOKEN } });
  expect((await answer.json()).seen.length).toBe(Number(process.env.WANTED));
});
`;

/** A target that says what it was sent, in a header and in its body. */
function startShop(t: Parameters<typeof startTarget>[0]) {
  return startTarget(t, (request, response) => {
    const seen = String(request.headers['x-token']);
    response.setHeader('x-seen', seen).setHeader('content-type', 'application/json').end(JSON.stringify({ seen }));
  });
}

test('a multi-step check that fails leaves a trace of its requests that Playwright reads and that tells no secret', async (t) => {
  const target = await startShop(t);
  const on = await startComposed(t);
  const { must } = asker(() => on.address, on.apiKey);
  const environmentVariables = [
    { key: 'SHOP', value: target.url },
    { key: 'WANTED', value: '3' },
    { key: 'TOKEN', value: secret, secret: true },
    // All that is to be found in a trace would be too large for one pattern.
    { key: 'LONG', value: `${'{long}'.repeat(4000)}end`, locked: true },
  ];
  const check = await must('POST', '/v1/checks/multistep', {
    name: 'Order',
    frequency: 1440,
    environmentVariables,
    script,
  });
  assert.equal(check['trace'], 'on-failure');
  const checkId = String(check['id']);
  await must('POST', `/v1/triggers/checks/${checkId}`);
  // They come just after the result.
  const [result, listed] = await until(
    'a result with its assets',
    async () => {
      const [found] = (await must('GET', `/v1/check-results/${checkId}`)) as unknown as Record<string, unknown>[];
      const { assets = [] } = (found?.['multiStepCheckResult'] ?? {}) as { assets?: readonly Asset[] };
      return found !== undefined && assets.length > 0 && ([found, assets] as const);
    },
    { withinMs: 90_000 },
  );
  assert.deepEqual([result['outcome'], result['reason']], ['failed', 'assertion']);
  assert.deepEqual(await must('GET', `/v1/check-results/${checkId}/${String(result['id'])}/assets`), listed);
  const [asset, ...others] = listed;
  assert.deepEqual([asset?.sort, asset?.contentType, others], ['trace', 'application/zip', []]);
  const answer = await fetch(`${on.address}${asset?.link}`, { headers: { authorization: `Bearer ${on.apiKey}` } });
  const trace = Buffer.from(await answer.arrayBuffer());
  const { actions, requests } = readTrace(t, trace);
  assert.match(actions, /POST|Expect/);
  assert.match(requests, /POST.*orders/);
  const entries = [...unzip(trace)];
  const basic = Buffer.from(`shop:${secret}`).toString('base64');
  for (const reported of [secret, mixed, basic]) {
    for (const [name, content] of entries) assert.ok(!content.includes(reported), `${name} tells it`);
  }
  const network = entries.filter(([name]) => name.endsWith('.network')).map(([, content]) => content.toString());
  for (const name of ['x-token', 'x-mixed']) assert.match(network.join(''), new RegExp(`${name}[^}]*\\*{8}`, 'i'));
  const { jobLog } = result['multiStepCheckResult'] as { jobLog: readonly { msg: string }[] };
  assert.ok(
    jobLog.some(({ msg }) => msg.trim() === '********'),
    JSON.stringify(jobLog),
  );
});

test('of a test without a browser a trace is kept of the runs that its check names, and none where it is off', async (t) => {
  const target = await startShop(t);
  const sortsOf = async (trace: 'off' | 'on-failure' | 'always', wanted: number): Promise<string[]> => {
    const entry = 'check.spec.mjs';
    const outcome = await runPlain('', {
      sort: 'spec',
      entry,
      files: [{ path: entry, content: script }],
      environment: { SHOP: target.url, TOKEN: secret, WANTED: String(wanted) },
      keeps: { screenshots: 'off', trace, video: 'off' },
    });
    assert.deepEqual([outcome.ending, outcome.tests], ['ended', 1], JSON.stringify(outcome.errors));
    assert.equal(outcome.failedTests, wanted === secret.length ? 0 : 1);
    return outcome.assets.map(({ sort }) => sort);
  };
  const [failing, passing] = [3, secret.length];
  assert.deepEqual(await sortsOf('off', failing), []);
  assert.deepEqual(await sortsOf('on-failure', passing), []);
  assert.deepEqual(await sortsOf('always', passing), ['trace']);
});
