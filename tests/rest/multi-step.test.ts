// Multi-step checks through the whole service: run in separate processes, recorded, shown and notified.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { z } from 'zod';
import type { scriptResult } from '#checks/parts/scripted/schema.ts';
import { asker } from '../support/service/service.ts';
import { startComposed } from '../support/service/composed.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

type Body = Record<string, unknown>;

type Steps = NonNullable<z.output<typeof scriptResult.steps>>;

interface Part {
  readonly runtimeVersion: string;
  readonly nodeJsVersion: string;
  readonly warnings: readonly string[];
  readonly tests: number;
  readonly failedTests: number;
  readonly errors: readonly { readonly message: string; readonly file: string; readonly line: number }[];
  readonly steps: Steps;
  readonly jobLog: readonly { readonly level: string; readonly msg: string }[];
}

const endings: (() => void | Promise<void>)[] = [];
after(async () => {
  for (const end of endings.toReversed()) await end();
});
let shared: ReturnType<typeof start> | null = null;
/** The service that tests share. */
const fixture = (): ReturnType<typeof start> => (shared ??= start());

async function start() {
  const t = { after: (end: () => void | Promise<void>): void => void endings.push(end) };
  const receiver = await startReceiver(t, 'secret');
  const on = await startComposed(t);
  const { must } = asker(() => on.address, on.apiKey);
  await must('POST', '/v1/alert-channels', {
    type: 'WEBHOOK',
    autoSubscribe: true,
    config: { url: receiver.url, webhookSecret: 'secret' },
  });
  const run = async (check: Body): Promise<{ readonly result: Body; readonly part: Part }> => {
    // It runs at once.
    const { id } = await must('POST', '/v1/checks/multistep', { name: 'Order', frequency: 1440, ...check });
    const result = await until(
      'a result',
      async () => ((await must('GET', `/v1/check-results/${String(id)}`)) as unknown as Body[])[0],
      { withinMs: 90_000 },
    );
    return { result, part: result['multiStepCheckResult'] as Part };
  };
  return { on, receiver, must, run };
}

test('a multi-step check runs tests of Playwright with its files and variables, and shows its steps', async (t) => {
  const target = await startTarget(t, (request, response) => response.end(request.url === '/orders' ? '[7]' : 'no'));
  const { run, must, on } = await fixture();
  const variable = { key: 'TOKEN', value: 'hush-hush-token', secret: true };
  const { result, part } = await run({
    environmentVariables: [{ key: 'SHOP', value: target.url }, variable],
    scriptPath: 'shop/orders.spec.ts',
    dependencies: [
      { path: 'shop/lib/first.ts', content: 'export const first = (list: number[]): number => list[0]!;' },
    ],
    script: `import { test, expect } from '@playwright/test';
import { first } from './lib/first';

test('orders are listed', async ({ request }) => {
  const orders = await test.step('ask', async () => (await request.get(process.env.SHOP + '/orders')).json());
  console.log('with', process.env.TOKEN);
  expect(first(orders)).toBe(7);
});
`,
  });
  assert.deepEqual([result['outcome'], result['message'], result['checkType']], ['passed', null, 'MULTI_STEP']);
  assert.deepEqual([part.runtimeVersion, part.nodeJsVersion], ['2026.10', process.version]);
  assert.deepEqual([part.tests, part.failedTests, part.warnings, part.errors], [1, 0, [], []]);
  const titles = part.steps.map(({ title, category }) => `${category} ${title}`);
  for (const title of ['test.step ask', 'test orders are listed']) assert.ok(titles.includes(title), titles.join());
  assert.deepEqual(
    part.jobLog.map(({ msg }) => msg),
    ['with ********\n'],
  );
  assert.ok(Number(result['responseTime']) > 0);
  const analytics = await must('GET', `/v1/analytics/multistep-checks/${String(result['checkId'])}`);
  assert.equal(analytics['checkType'], 'MULTI_STEP');
  assert.deepEqual(
    on.logged.filter(({ level }) => level === 'error'),
    [],
  );
});

test('the message of a failing one is the assertion as it was written, with file and line, in its alert too', async () => {
  const { run, receiver } = await fixture();
  const { result, part } = await run({
    script: `const { test, expect } = require('@playwright/test');

test('adding', () => {
  expect(
    1 + 1,
  ).toBe(3);
});
`,
  });
  assert.deepEqual([result['outcome'], result['reason']], ['failed', 'assertion']);
  const message = 'expect( 1 + 1, ).toBe(3) (check.spec.ts:6): Expected: 3, Received: 2';
  assert.equal(result['message'], message);
  assert.deepEqual([part.errors[0]?.file, part.errors[0]?.line], ['check.spec.ts', 6]);
  const { json } = await receiver.alert('ALERT_FAILURE');
  assert.deepEqual([json['CHECK_TYPE'], json['CHECK_ERROR_MESSAGE']], ['MULTI_STEP', message]);
  assert.match(await (await fetch(String(json['RESULT_LINK']))).text(), /check\.spec\.ts:6/);
});

test('a multi-step check may be a plain program, which fails by throwing', async () => {
  const { run } = await fixture();
  const good = await run({ scriptPath: 'check.mjs', script: `import _ from 'lodash'; console.log(_.sum([1, 2]));` });
  assert.deepEqual([good.result['outcome'], good.part.jobLog[0]?.msg], ['passed', '3\n']);
  const bad = await run({
    scriptPath: 'check.ts',
    script: `const wanted: number = 1;\nthrow new Error('no ' + wanted);`,
  });
  assert.deepEqual(
    [bad.result['outcome'], bad.result['reason'], bad.result['message']],
    ['failed', 'script', `throw new Error('no ' + wanted) (check.ts:2): no 1`],
  );
});

test('the requests of a plain program are its steps, with times, place and error, without queries and secrets', async (t) => {
  const target = await startTarget(t, (request, response) => {
    if (request.url === '/broken') return void request.socket.destroy();
    return void setTimeout(() => response.end('[7]'), request.url?.startsWith('/slow') === true ? 300 : 0);
  });
  const { run, receiver } = await fixture();
  const { result, part } = await run({
    environmentVariables: [
      { key: 'SHOP', value: target.url },
      { key: 'TOKEN', value: 'hush-hush-token', secret: true },
    ],
    scriptPath: 'check.mjs',
    script: `import axios from 'axios';
import http from 'node:http';
const shop = process.env.SHOP;
await (await fetch(shop + '/slow/' + process.env.TOKEN + '?page=2')).json();
await axios.post(shop + '/orders?page=3', { item: 7 });
await new Promise((resolve) => {
  http.get(shop + '/stock', (answer) => answer.resume().on('end', resolve));
});
await axios.get(shop + '/broken');
`,
  });
  assert.equal(result['outcome'], 'failed');
  const shown = part.steps.map(({ category, title, file, line, error }) => [category, title, file, line, error]);
  const { message } = part.errors[0] ?? {};
  assert.deepEqual(
    shown,
    [
      ['request', `GET ${target.url}/slow/********`, 'check.mjs', 4, null],
      ['request', `POST ${target.url}/orders`, 'check.mjs', 5, null],
      ['request', `GET ${target.url}/stock`, 'check.mjs', 7, null],
      ['request', `GET ${target.url}/broken`, 'check.mjs', 9, 'socket hang up'],
      ['test', 'check.mjs', null, null, message],
    ],
    JSON.stringify(part.steps),
  );
  const [slow, orders] = part.steps;
  assert.ok(slow && slow.startMs > 0 && slow.durationMs >= 290, JSON.stringify(slow));
  assert.ok(orders && orders.startMs >= slow.startMs + slow.durationMs - 1, 'one after the other');
  const { json } = await receiver.received((message) => message.json['CHECK_ID'] === result['checkId']);
  const page = await (await fetch(`${String(json['RESULT_LINK'])}/result`)).text();
  assert.ok(page.includes(`POST ${target.url}/orders`) && !page.includes('hush-hush-token'), page);
});

test('what cannot be run is refused when it is saved, with what would be right', async () => {
  const { on } = await fixture();
  const { api } = asker(() => on.address, on.apiKey);
  for (const [change, field, message] of [
    [{ script: ' ' }, 'script', /must contain a program/],
    [{ scriptPath: 'check.py' }, 'scriptPath', /must end in \.js/],
    [{ scriptPath: '/etc/check.ts' }, 'scriptPath', /relative path/],
    [{ dependencies: [{ path: 'node_modules/x.js', content: '' }] }, 'dependencies[0].path', /must not begin with/],
    [{ frequency: 0, frequencyOffset: 10 }, 'frequency', /at most once per minute/],
    [{ trace: 'sometimes' }, 'trace', /on-failure/],
    [{ screenshots: 'off' }, 'screenshots', /./],
    [{ runtimeId: '1999.01' }, 'runtimeId', /must be one of|not available/],
    [{ request: { url: 'https://shop.example/' } }, 'request', /./],
  ] as const) {
    const answer = await api('POST', '/v1/checks/multistep', { name: 'One', script: 'await 1;', ...change });
    const { attributes = {} } = answer.body as { attributes?: Record<string, string> };
    assert.equal(answer.status, 400);
    assert.match(String(attributes[field]), message, JSON.stringify(answer.body));
  }
});

test('scripts run one at a time where one lane is open, and other checks do not wait for them', async (t) => {
  const open = new Set<string>();
  let peakOpen = 0;
  const release = Promise.withResolvers<void>();
  const target = await startTarget(t, (request, response) => {
    const name = request.url ?? '';
    if (name === '/quick') return void response.end('ok');
    open.add(name);
    peakOpen = Math.max(peakOpen, open.size);
    return void release.promise.then(() => {
      open.delete(name);
      response.end('ok');
    });
  });
  const on = await startComposed(t, { TOCSIN_SCRIPTS_AT_ONCE: '1' });
  const { must } = asker(() => on.address, on.apiKey);
  const group = await must('POST', '/v1/check-groups', { name: 'Scripts' });
  for (const name of ['one', 'two', 'three']) {
    const script = `await fetch('${target.url}/${name}');`;
    const check = { name, frequency: 1440, groupId: group['id'], scriptPath: 'check.mjs', script };
    await must('POST', '/v1/checks/multistep', check);
  }
  await must('POST', `/v1/triggers/check-groups/${String(group['id'])}`);
  await until('the first script to ask', () => open.size === 1, { withinMs: 60_000 });
  const request = { method: 'GET', url: `${target.url}/quick` };
  const { id } = await must('POST', '/v1/checks/api', { name: 'Quick', frequency: 1440, request });
  await must('POST', `/v1/triggers/checks/${String(id)}`);
  const resultsOf = async (checkId: string) => (await must('GET', `/v1/check-results/${checkId}`)) as unknown as Body[];
  const [quick] = await until('the result of the API check', async () => {
    const found = await resultsOf(String(id));
    return found.length > 0 && found;
  });
  assert.deepEqual([quick?.['outcome'], open.size], ['passed', 1], 'while the scripts still run or wait');
  release.resolve();
  const checks = (await must('GET', `/v1/check-groups/${String(group['id'])}/checks`)) as unknown as Body[];
  for (const check of checks) {
    const [result] = await until(
      'the result of a script',
      async () => {
        const found = await resultsOf(String(check['id']));
        return found.length > 0 && found;
      },
      { withinMs: 60_000 },
    );
    assert.equal(result?.['outcome'], 'passed');
  }
  assert.equal(peakOpen, 1);
});
