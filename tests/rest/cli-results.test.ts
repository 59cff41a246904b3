// Results, assets, analytics and variables as the `checkly` command line gets them, and what it is refused.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { until } from '../support/until.ts';

type Json = Readonly<Record<string, unknown>>;

let on: Composed;
const cleanups: (() => void | Promise<void>)[] = [];
before(async () => {
  on = await startComposed({ after: (work) => void cleanups.push(work) });
});
after(async () => {
  for (const work of cleanups) await work();
});

async function ask(path: string, headers: Readonly<Record<string, string>> = {}, body?: object): Promise<Json> {
  const sent = { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json', ...headers };
  const answer = await fetch(on.address + path, {
    method: body ? 'POST' : 'GET',
    headers: sent,
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Json;
}

const cli = { 'x-checkly-source': 'CLI' };

test('a result without a response has one that the command line can print, and other clients get null', async () => {
  const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
  const check = await ask('/v1/checks/api', {}, { name: 'Closed port', request });
  const results = `/v2/check-results/${String(check['id'])}`;
  const result = await until('a result', async () => ((await ask(results))['entries'] as Json[])[0]);
  const path = `/v1/check-results/${String(check['id'])}/${String(result['id'])}`;
  const partOf = (found: Json) => found['apiCheckResult'] as Json;
  assert.equal(partOf(await ask(path))['response'], null);
  const shown = partOf(await ask(path, cli));
  assert.deepEqual(shown['response'], { status: 0, statusText: 'no response', headers: {} });
  assert.equal((shown['request'] as Json)['url'], request.url);
  assert.equal(partOf(await ask(path, { 'x-checkly-source': 'TF' }))['response'], null);

  assert.deepEqual(await ask(`${path}/assets`), []);
  assert.deepEqual(await ask(`${path}/assets?type=trace`, cli), { assets: [] });

  const analytics = `/v1/analytics/api-checks/${String(check['id'])}?metrics=`;
  const asked = await ask(`${analytics}availability,total_avg,packetLoss_avg`, cli);
  const metadata = asked['metadata'] as Readonly<Record<string, Json>>;
  assert.deepEqual(Object.keys(metadata), ['availability', 'total_avg'], 'what there is, under the names asked for');
  assert.equal(metadata['total_avg']?.['unit'], 'milliseconds');
  const [series] = asked['series'] as { data: Json[] }[];
  assert.ok('total_avg' in (series?.data[0] ?? {}));
  assert.equal((await ask(`${analytics}total_avg`))['statusCode'], 400);
});

test('the command line gets all variables at once', async () => {
  for (let index = 0; index < 12; index++) await ask('/v1/variables', {}, { key: `V${index}`, value: 'x' });
  assert.equal(((await ask('/v1/variables')) as unknown as Json[]).length, 10);
  assert.equal(((await ask('/v1/variables', cli)) as unknown as Json[]).length, 12);
});

test('what there is not is refused with a sentence', async () => {
  for (const [path, message] of [
    ['/v1/error-groups/checks/x', 'Tocsin does not group errors.'],
    ['/v1/nothing', 'Unknown path. See /docs for all operations.'],
  ] as const) {
    assert.deepEqual(await ask(path, cli), { statusCode: 404, error: 'Not Found', message }, path);
  }
});
