// Heartbeats through the real service: pings, missed pings, recovery, our own downtime, and the API (reference §4.9,
// decisions: Heartbeat).
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { idBytes } from '#store/base/codec.ts';
import { test } from '../support/service/one-process.ts';
import { plainEnvironment } from '../support/service/plain-environment.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import type { Cleanup } from '../support/targets/scripted-server.ts';
import type { Service } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';
const hour = 3_600_000;

/** Fails here if this machine has no curl, which jobs use. */
const userAgent = execFileSync('curl', ['--version'], { encoding: 'utf8' }).replace(/^curl (\S+)[^]*$/, 'curl/$1');
const run = promisify(execFile);

/** A heartbeat of one hour with ten minutes of grace, and its ping URL. */
async function makeHeartbeat(service: Service): Promise<{ id: string; ping: (how?: PingHow) => Promise<number> }> {
  const made = await service.must('POST', '/v1/checks/heartbeat', {
    name: 'Backup',
    heartbeat: { period: 1, periodUnit: 'hours', grace: 10, graceUnit: 'minutes' },
  });
  const { pingUrl, pingToken } = made['heartbeat'] as Record<string, string>;
  assert.equal(pingUrl, `${new URL(pingUrl ?? '').origin}/ping/${pingToken}`);
  const ping = ({ method = 'GET', path = '', ...rest }: PingHow = {}): Promise<number> =>
    call(`${service.address}/ping/${pingToken}${path}`, { method, ...rest });
  return { id: String(made['id']), ping };
}

interface PingHow {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const ways: Readonly<Record<string, readonly string[]>> = { GET: [], HEAD: ['--head'] };

/** Pings with curl, like a job, and returns the status. */
async function call(url: string, { method = 'GET', headers = {}, body }: PingHow): Promise<number> {
  const asked = [
    ...(ways[method] ?? ['--request', method]),
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...(body === undefined ? [] : ['--data-raw', body]),
  ];
  const quiet = [
    '--silent',
    '--show-error',
    '--max-time',
    '10',
    '--output',
    '/dev/null',
    '--write-out',
    '%{http_code}',
  ];
  const { stdout } = await run('curl', [...quiet, ...asked, url], { env: plainEnvironment() });
  return Number(stdout);
}

/** Moves everything into the past by some ms. */
function passTime(service: Service, ms: number): void {
  service.rows((raw) =>
    raw
      .prepare(
        'UPDATE heartbeats SET timer_at = timer_at - ?1, pinged_at = pinged_at - ?1, due_at = due_at - ?1, result_at = result_at - ?1',
      )
      .run(ms),
  );
}

function results(service: Service, id: string): Promise<string[]> {
  return service
    .must('GET', `/v1/check-results/${id}?limit=100`)
    .then((rows) => (rows as unknown as { outcome: string }[]).map(({ outcome }) => outcome).reverse());
}

async function settled(service: Service, id: string, wanted: readonly string[]): Promise<void> {
  await until(`the results ${wanted.join()}`, async () => (await results(service, id)).join() === wanted.join());
}

/** A job that pings, stops, pings again and fails. */
async function missesAndRecovers(t: Cleanup, service: Service): Promise<void> {
  const receiver = await startReceiver(t, secret);
  await service.must('POST', '/v1/alert-channels', {
    type: 'WEBHOOK',
    config: { url: receiver.url, webhookSecret: secret },
    autoSubscribe: true,
  });
  const { id, ping } = await makeHeartbeat(service);
  assert.equal(await ping({ headers: { origin: 'https://jobs.example', referer: 'https://other.example/' } }), 200);
  await settled(service, id, ['passed']);
  passTime(service, hour + 10 * 60_000 - 500);
  const failure = await receiver.alert('ALERT_FAILURE');
  assert.deepEqual([failure.json['CHECK_TYPE'], failure.json['CHECK_ID']], ['HEARTBEAT', id]);
  assert.match(
    String(failure.json['CHECK_ERROR_MESSAGE']),
    /^no ping since (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d [A-Z][\w:+-]+; expected every 1 h, 10 min grace$/,
  );
  assert.equal(await ping({ method: 'HEAD' }), 200);
  await receiver.alert('ALERT_RECOVERY');

  assert.equal(await ping({ path: '/start' }), 200);
  assert.equal(await ping({ method: 'HEAD', path: '/log' }), 200);
  assert.equal(await ping({ method: 'POST', path: '/3', body: 'disk full' }), 200);
  const second = await receiver.received(({ json }) => String(json['CHECK_ERROR_MESSAGE']).includes('exit code 3'));
  assert.match(String(second.json['CHECK_ERROR_MESSAGE']), /: disk full$/);
  const shown = await service.must('GET', `/v1/checks/heartbeats/${id}/events`);
  const events = shown['events'] as Record<string, unknown>[];
  assert.deepEqual(
    events.map(({ signal, method }) => [signal, method]),
    [
      ['exit', 'POST'],
      ['log', 'HEAD'],
      ['start', 'GET'],
      ['ping', 'HEAD'],
      ['missing', null],
      ['ping', 'GET'],
    ],
  );
  assert.deepEqual(
    [events.at(0)?.['body'], events.at(-1)?.['source'], events.at(-1)?.['userAgent']],
    ['disk full', 'https://jobs.example', userAgent],
  );
  const one = await service.must('GET', `/v1/checks/heartbeats/${id}/events/${String(events[0]?.['id'])}`);
  assert.deepEqual(one, events[0]);
  const result = await service.must('GET', `/v1/check-results/${id}/${String(events[0]?.['id'])}`);
  assert.equal((result['heartbeatCheckResult'] as Record<string, unknown>)['exitCode'], 3);
  const { stats } = shown as { stats: { last24Hours: { total: number } } };
  assert.equal(stats.last24Hours.total, 4, 'starts and logs make no result');
  await service.must('GET', `/v1/checks/heartbeats/${id}/availability`);
  await service.must('GET', `/v1/analytics/heartbeat-checks/${id}`);
}

/** A ping acknowledged before a kill counts, and a deadline during the downtime raises no alert. */
async function outlivesOurEnd(service: Service): Promise<void> {
  const beats = [await makeHeartbeat(service), await makeHeartbeat(service)] as const;
  const [failing, regular] = beats;
  const never = await makeHeartbeat(service);
  await regular.ping();
  await settled(service, regular.id, ['passed']);
  assert.equal(await failing.ping({ path: '/fail' }), 200);
  await service.kill();
  // The deadline falls into the downtime.
  service.rows((raw) => {
    const timer = Date.now() - hour - 10 * 60_000 + 500;
    raw
      .prepare('UPDATE heartbeats SET timer_at = ?, due_at = ? WHERE check_id = ?')
      .run(timer, Date.now() + 1500, idBytes(regular.id));
  });
  const over = Date.now() + 600;
  await until('the deadline to be over', () => Date.now() > over);
  await service.restart();
  await settled(service, failing.id, ['failed']);
  await settled(service, regular.id, ['passed', 'unknown']);
  assert.deepEqual(await results(service, never.id), []);
  const alerts = (await service.must('GET', '/v1/check-alerts')) as unknown as { checkId: string }[];
  const alerted = (beat: { id: string }): number => alerts.filter(({ checkId }) => checkId === beat.id).length;
  assert.deepEqual([failing, regular, never].map(alerted), [1, 0, 0]);
  const counts = service.rows((raw) =>
    raw.prepare('SELECT sum(scheduled - passed - failed - unknown) AS difference FROM account_counts').get(),
  );
  assert.equal(Number(counts?.['difference']), 0);
}

/** Invalid pings are refused in the usual error format. */
async function refusesTheRest(service: Service): Promise<void> {
  const { id, ping } = await makeHeartbeat(service);
  assert.deepEqual(await Promise.all(['PUT', 'DELETE', 'PATCH'].map((method) => ping({ method }))), [405, 405, 405]);
  assert.deepEqual(
    await Promise.all(['/4294967296', '/stop', '/1/2', '/--1'].map((path) => ping({ path }))),
    [404, 404, 404, 404],
  );
  for (const token of ['0199f0c4-0000-7000-8000-0000000000ff', 'nonsense']) {
    const refused = await fetch(`${service.address}/ping/${token}`);
    assert.equal(refused.status, 404);
    assert.equal(((await refused.json()) as { statusCode: number }).statusCode, 404);
  }
  assert.equal(await ping({ method: 'POST', path: '/log', body: 'x'.repeat(100_000) }), 200);
  const { events } = (await service.must('GET', `/v1/checks/heartbeats/${id}/events?limit=1`)) as {
    events: { body: string }[];
  };
  assert.equal(events[0]?.body.length, 10_000);
  assert.equal((await service.api('GET', `/v1/checks/heartbeats/${id}/events?limit=11`)).status, 400);
  // It must not become due, because nothing would run it.
  const idle = { name: 'x', activated: false, request: { url: 'http://127.0.0.1:9/' } };
  const api = await service.must('POST', '/v1/checks/url', idle);
  assert.equal((await service.api('GET', `/v1/checks/heartbeats/${String(api['id'])}/events`)).status, 404);
}

test('a heartbeat without pings alerts and recovers, and our own downtime raises no alert', async ({
  t,
  startService,
}) => {
  const service = await startService(t, {});
  await missesAndRecovers(t, service);
  await refusesTheRest(service);
  await outlivesOurEnd(service);
});
