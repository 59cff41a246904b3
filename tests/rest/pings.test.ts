// Ping addresses over HTTP, beyond what is well: called too often and by tokens that are nobody's.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { asker } from '../support/service/service.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

interface PingedService extends Pick<ReturnType<typeof asker>, 'must'> {
  readonly on: Composed;
  readonly checkId: string;
  /** From the root on. */
  readonly path: string;
  /** How many pings are in the database. */
  readonly kept: () => number;
}

/** A running service with a heartbeat of an hour. */
async function startPinged(t: TestContext): Promise<PingedService> {
  const on = await startComposed(t);
  const { must } = asker(() => on.address, on.apiKey);
  const heartbeat = { period: 1, periodUnit: 'hours', grace: 0, graceUnit: 'hours' };
  const made = await must('POST', '/v1/checks/heartbeat', { name: 'Backup', heartbeat });
  const { pingToken } = made['heartbeat'] as { pingToken: string };
  const kept = (): number => Number(on.raw.prepare('SELECT count(*) AS n FROM pings').get()?.['n']);
  return { on, must, checkId: String(made['id']), path: `/ping/${pingToken}`, kept };
}

/** The statuses of so many calls at once, counted; each refusal is of the one shape. */
async function called(url: string, times: number): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const shapes = new Set<string>();
  await Promise.all(
    Array.from({ length: times }, async () => {
      const answer = await fetch(url);
      counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
      const text = await answer.text();
      if (answer.status === 429) shapes.add(`${answer.headers.get('retry-after')} ${text}`);
    }),
  );
  const message = 'Too many pings to this URL. The ping was not recorded.';
  const body = JSON.stringify({ statusCode: 429, error: 'Too Many Requests', message });
  assert.deepEqual([...shapes], [`1 ${body}`]);
  return counts;
}

test('a client in a loop gets 429 from existing and unknown ping URLs, while other signals are accepted', async (t) => {
  const { on, must, checkId, path, kept } = await startPinged(t);
  const times = 300;
  for (const [url, status] of [
    [on.address + path, 200],
    [`${on.address}/ping/${randomUUID()}`, 404],
  ] as const) {
    const counts = await called(url, times);
    assert.deepEqual(new Set(counts.keys()), new Set([status, 429]));
    const answered = counts.get(status) ?? 0;
    // A minute's worth, and one for each second that the loop took.
    assert.ok(answered >= 60 && answered < times, `${answered} answers with ${status}`);
    if (status === 200) assert.equal(kept(), answered, 'what was refused is not in the database');
  }
  for (const signal of ['start', 'log', 'fail']) {
    const answer = await fetch(`${on.address}${path}/${signal}`, { method: 'HEAD' });
    assert.equal(answer.status, 200, signal);
  }
  await until('the failure to be recorded', async () => {
    const found = (await must('GET', `/v1/check-results/${checkId}`)) as unknown as { outcome: string }[];
    return found.some(({ outcome }) => outcome === 'failed');
  });
  const metrics = await (await fetch(`${on.address}/metrics`)).text();
  const counted = (signal: string, what: string): number =>
    Number(new RegExp(`^tocsin_pings_total\\{signal="${signal}",what="${what}"\\} (\\d+)$`, 'm').exec(metrics)?.[1]);
  assert.equal(counted('ping', 'kept') + 3, kept());
  assert.equal(counted('ping', 'kept') + counted('ping', 'unknown') + counted('ping', 'refused'), 2 * times);
  assert.deepEqual(
    ['start', 'log', 'fail'].map((signal) => counted(signal, 'kept')),
    [1, 1, 1],
  );
});

test('a query parameter is refused, so that a misspelled signal is no success', async (t) => {
  const { on, path, kept } = await startPinged(t);
  for (const call of ['?fail', '?status=fail', '?start=', '/log?x=1', '/0?exit=1']) {
    for (const method of ['GET', 'POST', 'HEAD']) {
      const answer = await fetch(`${on.address}${path}${call}`, { method });
      const text = await answer.text();
      assert.equal(answer.status, 400, `${method} ${call}`);
      if (method !== 'HEAD') assert.match(text, /Unknown query parameter/);
    }
  }
  assert.equal(kept(), 0);
});

test('the page of a RESULT_LINK shows what the job sent, without secrets and the token of its URL', async (t) => {
  const receiver = await startScriptedServer(t);
  const { on, must, checkId, path } = await startPinged(t);
  const config = { name: 'Ops', url: receiver.url };
  await must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config, subscriptions: [{ checkId, activated: true }] });
  await must('POST', '/v1/variables', { key: 'PASSWORD', value: 'hunter<2>22', locked: true });
  const body = `login with hunter<2>22\nretry ${path} <b>soon</b>`;
  await fetch(`${on.address}${path}/fail`, { method: 'POST', body });
  const alert = await until('the alert', () => receiver.all[0]?.body.toString());
  const link = new URL((JSON.parse(alert) as { readonly RESULT_LINK: string }).RESULT_LINK);
  const page = await (await fetch(on.address + link.pathname)).text();
  assert.match(page, /The job reported a failure: login with \*{8}</);
  const data = await fetch(`${on.address}${link.pathname}/result`);
  const { result, pingBody } = (await data.json()) as { result: { message: string }; pingBody: string };
  assert.equal(result.message, 'the job reported a failure: login with ********');
  assert.equal(pingBody, 'login with ********\nretry /ping/******** <b>soon</b>');
});
