// Trials through the whole service: a definition runs once, and nothing of it is kept.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { startTarget } from '../support/targets/target.ts';

type Body = Record<string, unknown>;

interface Slice {
  readonly number: number;
  readonly isFirst: boolean;
  readonly steps: readonly { readonly title: string }[];
  readonly jobLog: readonly { readonly msg: string }[];
  readonly screenshots: readonly { readonly contentType: string; readonly name: string }[];
}

interface Trial {
  readonly progress: readonly Slice[];
  readonly id: string;
  readonly status: string;
  readonly location: string;
  readonly result: {
    readonly outcome: string;
    readonly message: string | null;
    readonly apiCheckResult?: { readonly assertions: readonly { readonly passed: boolean }[]; readonly response: Body };
  } | null;
  readonly screenshots: readonly { readonly contentType: string; readonly content: string }[];
}

const endings: (() => void | Promise<void>)[] = [];
after(async () => {
  for (const end of endings.toReversed()) await end();
});
let shared: ReturnType<typeof start> | null = null;
const fixture = (): ReturnType<typeof start> => (shared ??= start());

const { promise: released, resolve: release } = Promise.withResolvers<void>();

/** The response to `/held`, which never ends by itself. */
const { promise: held, resolve: hold } = Promise.withResolvers<ServerResponse>();

async function start() {
  const t = { after: (end: () => void | Promise<void>): void => void endings.push(end) };
  const target = await startTarget(t, (request, response) => {
    if (request.url === '/slow') void released.then(() => response.end());
    else if (request.url === '/held') hold(response);
    else
      response.setHeader('content-type', 'text/html').end(`<h1>${String(request.headers['x-token'] ?? 'nobody')}</h1>`);
  });
  const on = await startComposed(t);
  const { must, api } = asker(() => on.address, on.apiKey);
  const run = async (check: Body, checkId?: unknown): Promise<Trial> => {
    const { id } = await must('POST', '/v1/check-trials', { check, ...(checkId !== undefined && { checkId }) });
    for (;;) {
      const trial = (await must('GET', `/v1/check-trials/${String(id)}?waitSeconds=25`)) as unknown as Trial;
      if (trial.status === 'ended') return trial;
    }
  };
  const request = { method: 'GET', url: target.url };
  return { on, target, must, api, run, request };
}

test('a trial answers with the result of the definition, and leaves no check, result or alert', async () => {
  const { on, run, api, must, request } = await fixture();
  const assertions = [
    { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
    { source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'closed' },
  ];
  const trial = await run({ checkType: 'API', name: 'Shop', request: { ...request, assertions } });
  assert.deepEqual([trial.location, trial.result?.outcome], ['local', 'failed']);
  assert.deepEqual(
    trial.result?.apiCheckResult?.assertions.map(({ passed }) => passed),
    [true, false],
  );
  assert.equal(trial.result?.apiCheckResult?.response['body'], '<h1>nobody</h1>');
  assert.equal((await api('GET', `/v1/check-trials/${trial.id}`)).status, 404, 'it was read');
  assert.deepEqual(await must('GET', '/v1/checks'), []);
  assert.deepEqual(await must('GET', '/v1/check-alerts'), []);
  const usage = (await must('GET', `/v1/accounts/${on.accountId}/usage`)) as { used: number };
  assert.equal(usage.used, 1);
});

test('the definition of a stored check keeps what is masked, and the stored check stays as it is', async () => {
  const { run, must, request } = await fixture();
  const headers = [{ key: 'x-token', value: 'secret of the shop', locked: true }];
  const { id } = await must('POST', '/v1/checks/api', {
    name: 'Shop',
    activated: false,
    request: { ...request, headers },
  });
  const stored = (await must('GET', `/v1/checks/${String(id)}`)) as { readonly request: Body };
  const assertions = [{ source: 'TEXT_BODY', comparison: 'CONTAINS', target: 'nobody' }];
  const masked = [{ key: 'x-token', value: '***', locked: true }];
  const check = { checkType: 'API', name: 'Shop', request: { ...request, headers: masked, assertions } };
  const trial = await run(check, id);
  assert.equal(trial.result?.outcome, 'failed');
  assert.ok(!JSON.stringify(trial).includes('secret of the shop'));
  assert.deepEqual(((await must('GET', `/v1/checks/${String(id)}`)) as { request: Body }).request, stored.request);
});

test('a trial of a browser check has its screenshots', async () => {
  const { run, request } = await fixture();
  const script = `import { test } from '@playwright/test';
    test('shop', async ({ page }) => { await page.goto('${request.url}'); await page.screenshot({ path: 'a.png' }); });`;
  const { result, screenshots } = await run({ checkType: 'BROWSER', name: 'Shop', script });
  assert.equal(result?.outcome, 'passed', JSON.stringify(result));
  assert.deepEqual(
    screenshots.map(({ contentType, content }) => [
      contentType,
      Buffer.from(content, 'base64').subarray(1, 4).toString(),
    ]),
    [['image/png', 'PNG']],
  );
});

/** Reads a trial until a slice satisfies the condition. */
async function sliceOf(id: string, isIt: (slice: Slice) => boolean): Promise<readonly Slice[]> {
  const { must } = await fixture();
  const seen: Slice[] = [];
  while (!seen.some(isIt)) {
    const after = seen.at(-1)?.number ?? 0;
    const trial = (await must('GET', `/v1/check-trials/${id}?waitSeconds=25&after=${after}`)) as unknown as Trial;
    assert.notEqual(trial.status, 'ended', JSON.stringify(trial.result));
    seen.push(...trial.progress);
  }
  return seen;
}

test('a script shows its steps, output and screenshots while it runs, and a removed trial is stopped', async () => {
  const { must, api, request } = await fixture();
  const script = `import { test } from '@playwright/test';
    test('shop', async ({ page }) => {
      await page.goto('${request.url}');
      console.log('looking around');
      await page.screenshot({ path: 'a.png' });
      await page.goto('${request.url}/held');
    });`;
  const { id } = (await must('POST', '/v1/check-trials', {
    check: { checkType: 'BROWSER', name: 'Shop', script },
  })) as unknown as Trial;
  const slices = await sliceOf(id, ({ screenshots }) => screenshots.length > 0);
  assert.deepEqual(
    slices.map(({ isFirst }) => isFirst),
    slices.map((_, index) => index === 0),
  );
  assert.match(slices.flatMap(({ jobLog }) => jobLog.map(({ msg }) => msg)).join(''), /looking around/);
  assert.ok(slices.some(({ steps }) => steps.length > 0));
  assert.equal(slices.at(-1)?.screenshots[0]?.contentType, 'image/png');
  assert.deepEqual(((await must('GET', `/v1/check-trials/${id}`)) as unknown as Trial).progress, [], 'only if asked');
  const response = await held;
  const stopped = new Promise((resolve) => response.once('close', resolve));
  assert.equal((await api('DELETE', `/v1/check-trials/${id}`)).status, 204);
  await stopped;
});

test('only one reader waits for a trial, and others receive it as it is', async () => {
  const { must, target } = await fixture();
  const check = { checkType: 'API', name: 'Slow', request: { method: 'GET', url: `${target.url}/slow` } };
  const path = `/v1/check-trials/${String((await must('POST', '/v1/check-trials', { check }))['id'])}?waitSeconds=25`;
  const first = must('GET', path);
  const second = await Promise.race([must('GET', path), must('GET', path)]);
  assert.notEqual(second['status'], 'ended');
  release();
  assert.equal((await first)['status'], 'ended');
});

test('what cannot be tried is refused with a reason', async () => {
  const { api, must, request } = await fixture();
  const start = async (check: Body, checkId?: string) => {
    const { status, body } = await api('POST', '/v1/check-trials', {
      check,
      ...(checkId !== undefined && { checkId }),
    });
    return [status, (body as { message: string }).message];
  };
  const check = { checkType: 'API', name: 'Shop', request };
  assert.deepEqual(
    await start({
      checkType: 'HEARTBEAT',
      name: 'Job',
      heartbeat: { period: 1, periodUnit: 'days', grace: 0, graceUnit: 'days' },
    }),
    [409, 'A heartbeat check is not run: it waits for pings.'],
  );
  const unknown = '0199f0c4-0000-7000-8000-0000000000ff';
  assert.deepEqual(await start(check, unknown), [404, `Check ${unknown} not found.`]);
  const [status, message] = await start({ ...check, request: { method: 'GET', url: 'shop' } });
  assert.equal(status, 400);
  assert.match(String(message), /request\.url/);
  const { id } = await must('POST', '/v1/check-trials', { check });
  assert.equal((await api('DELETE', `/v1/check-trials/${String(id)}`)).status, 204);
  assert.equal((await api('GET', `/v1/check-trials/${String(id)}`)).status, 404);
});
