// Failures that are silenced or too recent are alerted when that ends, even without a new result (docs/decisions/0100).
import assert from 'node:assert/strict';
import { describe } from '../support/service/one-process.ts';
import { type Receiver, startReceiver } from '../support/receivers/receiver.ts';
import { type ScriptedServer, startScriptedServer } from '../support/targets/scripted-server.ts';
import type { Service } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';
/** Maximum delay of an alert after it is due. */
const soonMs = 20_000;
const iso = (at: number): string => new Date(at).toISOString();

interface Fixture {
  readonly target: ScriptedServer;
  readonly receiver: Receiver;
  readonly id: string;
  /** Runs the check and waits for its end. */
  readonly run: () => Promise<void>;
}

/** A check that runs on its own once a day, with its own channel. */
async function aDailyCheck(
  t: { after(work: () => void): void },
  service: Service,
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Fixture> {
  const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
  const request = { method: 'GET', url: target.url };
  const body = { name, tags: [name], frequency: 1440, request, ...fields };
  const id = String((await service.must('POST', '/v1/checks/api', body))['id']);
  await service.must('POST', '/v1/alert-channels', {
    type: 'WEBHOOK',
    config: { url: receiver.url, webhookSecret: secret },
    subscriptions: [{ checkId: id }],
  });
  const { token } = await service.must('POST', `/v1/triggers/checks/${id}`);
  const run = async (): Promise<void> => {
    const { status } = await service.api('GET', `/checks/${id}/trigger/${String(token)}`);
    assert.ok(status === 200 || status === 503, `the run was answered ${status}`);
  };
  await until('the first run', async () => (await resultsOf(service, id)).length > 0);
  return { target, receiver, id, run };
}

async function resultsOf(service: Service, id: string): Promise<readonly Record<string, unknown>[]> {
  return (await service.must('GET', `/v1/check-results/${id}`)) as unknown as Record<string, unknown>[];
}

const typesOf = (receiver: Receiver): unknown[] => receiver.all.map(({ json }) => json['ALERT_TYPE']);

describe('a failure that was not alerted', { concurrency: 3 }, ({ it }) => {
  it('because of a maintenance window is alerted when the window ends', async (t, service) => {
    const { target, receiver, id, run } = await aDailyCheck(t, service, 'windowed');
    const endsAt = Date.now() + 6000;
    await service.must('POST', '/v1/maintenance-windows', {
      name: 'Upgrade',
      silenceAlertsTags: ['windowed'],
      startsAt: iso(endsAt - 60_000),
      endsAt: iso(endsAt),
    });
    target.answer({ status: 503 });
    await run();
    assert.deepEqual(typesOf(receiver), []);
    const failure = await receiver.alert('ALERT_FAILURE', 6000 + soonMs);
    assert.ok(failure.timestamp >= endsAt && failure.timestamp < endsAt + soonMs, `${failure.timestamp - endsAt} ms`);
    const [newest] = await resultsOf(service, id);
    assert.equal(failure.json['CHECK_RESULT_ID'], newest?.['id']);
    assert.equal(failure.json['API_CHECK_RESPONSE_STATUS_CODE'], 503);
    assert.match(String(failure.json['CHECK_ERROR_MESSAGE']), /503/);
    assert.equal((await fetch(String(failure.json['RESULT_LINK']))).status, 200);
    const alerts = (await service.must('GET', `/v1/check-alerts/${id}`)) as unknown as Record<string, unknown>[];
    assert.deepEqual(
      alerts.map(({ alertType }) => alertType),
      ['ALERT_FAILURE'],
    );
    await run();
    target.answer({ status: 200 });
    await run();
    await receiver.alert('ALERT_RECOVERY');
    assert.deepEqual(typesOf(receiver), ['ALERT_FAILURE', 'ALERT_RECOVERY'], 'and once');
  });

  it('because the check was muted is alerted when it is unmuted', async (t, service) => {
    const { target, receiver, id, run } = await aDailyCheck(t, service, 'muted', { muted: true });
    target.answer({ status: 500 });
    await run();
    const unmutedAt = Date.now();
    await service.must('PUT', `/v1/checks/api/${id}`, { muted: false });
    const failure = await receiver.alert('ALERT_FAILURE', soonMs);
    assert.ok(failure.timestamp >= unmutedAt);
    target.answer({ status: 200 });
    await run();
    await receiver.alert('ALERT_RECOVERY');
    assert.deepEqual(typesOf(receiver), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
  });

  it('because it was too recent is alerted when it has lasted long enough: a missed heartbeat', async (t, service) => {
    const receiver = await startReceiver(t, secret);
    const made = await service.must('POST', '/v1/checks/heartbeat', {
      name: 'Nightly',
      heartbeat: { period: 1, periodUnit: 'days', grace: 10, graceUnit: 'minutes' },
      useGlobalAlertSettings: false,
      alertSettings: { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 5 } },
    });
    const id = String(made['id']);
    await service.must('POST', '/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { url: receiver.url, webhookSecret: secret },
      subscriptions: [{ checkId: id }],
    });
    const { pingToken } = made['heartbeat'] as Record<string, string>;
    const ping = async (): Promise<void> => {
      assert.equal((await fetch(`${service.address}/ping/${pingToken}`)).status, 200);
    };
    const outcomes = async (): Promise<unknown[]> => (await resultsOf(service, id)).map(({ outcome }) => outcome);
    await ping();
    await until('the ping to be judged', async () => (await outcomes()).join() === 'passed');
    /** Moves times into the past by some ms. */
    const earlier = (table: string, columns: readonly string[], ms: number): void => {
      const set = columns.map((column) => `${column} = ${column} - ${ms}`).join(', ');
      const where = `check_id = (SELECT id FROM checks WHERE name = 'Nightly')`;
      service.rows((raw) => void raw.prepare(`UPDATE ${table} SET ${set} WHERE ${where}`).run());
    };
    earlier('heartbeats', ['timer_at', 'due_at', 'result_at'], 86_400_000 + 10 * 60_000 - 500);
    await until('its absence', async () => (await outcomes()).join() === 'failed,passed');
    assert.deepEqual(typesOf(receiver), []);
    earlier('check_states', ['since', 'failing_since'], 5 * 60_000 - 2000);
    const failure = await receiver.alert('ALERT_FAILURE', 2000 + soonMs);
    assert.match(String(failure.json['CHECK_ERROR_MESSAGE']), /^no ping since .*; expected every 1 day, 10 min grace$/);
    await ping();
    await receiver.alert('ALERT_RECOVERY');
    assert.deepEqual(typesOf(receiver), ['ALERT_FAILURE', 'ALERT_RECOVERY']);
  });
});
