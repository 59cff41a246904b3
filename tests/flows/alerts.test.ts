// From a failing target to a signed webhook and back, through a real process (spec §6, design §1).
import assert from 'node:assert/strict';
import { firstRun } from '../support/service/first-run.ts';
import { describe } from '../support/service/each-topology.ts';
import { startReceiver, type Receiver } from '../support/receivers/receiver.ts';
import { type ScriptedServer, startScriptedServer } from '../support/targets/scripted-server.ts';
import { newAccount, type Service } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';

interface Fixture {
  readonly target: ScriptedServer;
  readonly receiver: Receiver;
  readonly groupId: number;
  readonly checkId: string;
  readonly channelId: number;
  /** Runs every check of the group now. */
  readonly trigger: () => Promise<void>;
}

interface Requested {
  readonly channel?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly check?: Readonly<Record<string, unknown>>;
  readonly group?: Readonly<Record<string, unknown>>;
}

/** A group with one check of its own target, and a channel subscribed to the group. */
async function fixture(
  t: { after(work: () => void): void },
  service: Pick<Service, 'must'>,
  requested: Requested = {},
): Promise<Fixture> {
  const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
  const group = await service.must('POST', '/v2/check-groups', { name: 'Shops', ...requested.group });
  const groupId = Number(group['id']);
  const check = await service.must('POST', '/v1/checks/api', {
    name: 'Cart',
    frequency: 1440,
    groupId,
    request: { method: 'GET', url: target.url },
    ...requested.check,
  });
  await firstRun(service, check['id']);
  const channel = await service.must('POST', '/v1/alert-channels', {
    type: 'WEBHOOK',
    config: { url: receiver.url, webhookSecret: secret, ...requested.config },
    subscriptions: [{ groupId }],
    ...requested.channel,
  });
  const trigger = async (): Promise<void> => {
    await service.must('POST', `/v1/triggers/check-groups/${groupId}`);
  };
  return { target, receiver, groupId, checkId: String(check['id']), channelId: Number(channel['id']), trigger };
}

describe('an alert', { concurrency: 4 }, ({ it }) => {
  it('reaches its receiver, signed, when a check fails, and again when it recovers', async (t, service) => {
    const { target, receiver, checkId, trigger } = await fixture(t, service);
    target.answer({ status: 503, body: 'closed' });
    await trigger();
    const failure = await receiver.alert('ALERT_FAILURE');
    assert.equal(failure.json['CHECK_ID'], checkId);
    assert.equal(failure.json['CHECK_NAME'], 'Cart');
    assert.equal(failure.json['GROUP_NAME'], 'Shops');
    assert.equal(failure.json['API_CHECK_RESPONSE_STATUS_CODE'], 503);
    assert.match(String(failure.json['CHECK_ERROR_MESSAGE']), /503/);
    assert.equal(failure.json['DELIVERY_ID'], failure.deliveryId);
    assert.ok(Math.abs(failure.timestamp - Date.now()) < 60_000);

    target.answer({ status: 200 });
    await trigger();
    const recovery = await receiver.alert('ALERT_RECOVERY');
    assert.equal(recovery.json['CHECK_ERROR_MESSAGE'], '');
    assert.ok(recovery.timestamp > failure.timestamp);
    assert.equal(receiver.all.length, 2, 'no channel is notified twice');
  });

  it('is resolved by deleting its check, with that reason, and by nothing later', async (t, service) => {
    const { target, receiver, checkId, channelId, trigger } = await fixture(t, service);
    target.answer({ status: 503, body: 'closed' });
    await trigger();
    const failure = await receiver.alert('ALERT_FAILURE');
    await service.must('PUT', `/v1/checks/${checkId}`, { activated: false });
    assert.equal((await service.api('DELETE', `/v1/checks/${checkId}`)).status, 204);
    const { json } = await receiver.alert('ALERT_RECOVERY');
    const said = ['ALERT_TITLE', 'CHECK_ID', 'CHECK_ERROR_MESSAGE', 'CHECK_RESULT_ID', 'STARTED_AT', 'REGION'];
    const { CHECK_RESULT_ID: last, STARTED_AT: startedAt } = failure.json;
    assert.deepEqual(
      said.map((name) => json[name]),
      ['Cart was deleted; its alert is closed', checkId, '', last, startedAt, 'local'],
    );
    assert.deepEqual([json['RESPONSE_TIME'], json['API_CHECK_RESPONSE_STATUS_CODE']], ['', '']);
    for (const link of [json['RESULT_LINK'], failure.json['RESULT_LINK']]) {
      const page = await fetch(String(link));
      assert.equal(page.status, 410);
      assert.match(await page.text(), /The check was deleted/);
    }
    assert.equal((await service.api('DELETE', `/v1/checks/${checkId}`)).status, 404);
    const listed = await service.must('GET', `/v1/deliveries?alertChannelId=${channelId}`);
    const deliveries = listed as unknown as Record<string, unknown>[];
    assert.deepEqual(
      deliveries.map(({ alertType, checkId: of }) => [alertType, of]),
      [
        ['ALERT_RECOVERY', checkId],
        ['ALERT_FAILURE', checkId],
      ],
    );
    assert.equal(receiver.all.length, 2, 'no channel is notified twice');
  });

  it('has the locked variables of its group masked in the log, even after its check was deleted', async (t, service) => {
    const group = { environmentVariables: [{ key: 'DESK', value: 'desk-of-the-night', locked: true }] };
    const config = { template: '{{ALERT_TYPE}} {{DESK}}' };
    const { target, receiver, checkId, trigger } = await fixture(t, service, { group, config });
    target.answer({ status: 500 });
    await trigger();
    await receiver.received(({ text }) => text === 'ALERT_FAILURE desk-of-the-night');
    assert.equal((await service.api('DELETE', `/v1/checks/${checkId}`)).status, 204);
    await receiver.received(({ text }) => text === 'ALERT_RECOVERY desk-of-the-night');
    const listed = await service.must('GET', `/v1/deliveries?checkId=${checkId}`);
    const ids = (listed as unknown as { id: string }[]).map(({ id }) => id);
    assert.equal(ids.length, 2);
    for (const id of ids) {
      // The receiver has the delivery before the attempt is recorded.
      const shown = await until('the attempt to be on record', async () => {
        const delivery = await service.must('GET', `/v1/deliveries/${id}`);
        return delivery['status'] === 'delivered' && JSON.stringify(delivery);
      });
      assert.match(shown, /ALERT_\w+ \*{8}/);
      assert.doesNotMatch(shown, /desk-of-the-night/);
    }
  });

  it('links to a result that opens in a browser without a key', async (t, service) => {
    const { target, receiver, trigger } = await fixture(t, service);
    target.answer({ status: 500 });
    await trigger();
    const link = String((await receiver.alert('ALERT_FAILURE')).json['RESULT_LINK']);
    const page = await fetch(link);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(await page.text(), /Cart/);
    const last = link.slice(-1);
    assert.equal(
      (await fetch(link.slice(0, -1) + (last === 'A' ? 'B' : 'A'))).status,
      404,
      'a guessed link opens nothing',
    );
  });

  it('reports a slow target and its recovery if configured', async (t, service) => {
    // Far enough from a fast response that a delayed machine gives one, too.
    const check = { degradedResponseTime: 900, maxResponseTime: 10_000 };
    const { target, receiver, trigger } = await fixture(t, service, { check, channel: { sendDegraded: true } });
    target.answer({ status: 200, delayMs: 1000 });
    await trigger();
    const degraded = await receiver.alert('ALERT_DEGRADED');
    assert.ok(Number(degraded.json['RESPONSE_TIME']) >= 990);
    target.answer({ status: 200 });
    await trigger();
    await receiver.alert('ALERT_DEGRADED_RECOVERY');
    assert.equal(receiver.all.length, 2);
  });

  it('is rendered by its template, in URL, header and body, with the run location', async (t, service) => {
    const { target, receiver, channelId, trigger } = await fixture(t, service);
    await service.must('PUT', `/v1/alert-channels/${channelId}`, {
      config: {
        url: `${receiver.url}/{{REGION}}/{{CHECK_TYPE}}`,
        method: 'PUT',
        webhookSecret: secret,
        headers: [{ key: 'x-title', value: '{{{ALERT_TITLE}}}' }],
        template:
          "{{#eq REGION 'local'}}HERE{{else}}THERE{{/eq}} {{#eq ALERT_TYPE 'ALERT_FAILURE'}}DOWN{{/eq}}{{#eq ALERT_TYPE 'ALERT_RECOVERY'}}UP{{/eq}}",
      },
    });
    target.answer({ status: 500 });
    await trigger();
    const { hit, text } = await receiver.received(() => true);
    assert.deepEqual(
      [hit.method, hit.url, hit.headers['x-title'], text],
      ['PUT', '/local/API', 'Cart has failed', 'HERE DOWN'],
    );
  });

  it('prefers the variables of its group to those of the account', async (t, service) => {
    await service.must('POST', '/v1/variables', { key: 'TEAM', value: 'account' });
    await service.must('POST', '/v1/variables', { key: 'FLOOR', value: '3' });
    const group = { environmentVariables: [{ key: 'TEAM', value: 'group' }] };
    const { target, receiver, trigger } = await fixture(t, service, {
      group,
      config: { template: '{{TEAM}} {{FLOOR}}' },
    });
    target.answer({ status: 500 });
    await trigger();
    assert.equal((await receiver.received(() => true)).text, 'group 3');
  });

  it('cannot use a secret', async (_, service) => {
    await service.must('POST', '/v1/variables', { key: 'PASSWORD', value: 'hunter2', secret: true });
    const refused = await service.api('POST', '/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { url: 'http://127.0.0.1:9/', template: 'so: {{PASSWORD}}' },
    });
    assert.equal(refused.status, 400);
    assert.match(JSON.stringify(refused.body), /PASSWORD/);
    assert.doesNotMatch(JSON.stringify(refused.body), /hunter2/);
  });

  it('can be tested: as a preview that sends nothing, and as a test message', async (t, service) => {
    const { receiver, channelId } = await fixture(t, service);
    const preview = await service.must('POST', '/v1/alert-channels/preview', {
      config: { url: `${receiver.url}/{{CHECK_NAME}}`, template: '{{ALERT_TITLE}}' },
      variables: { CHECK_NAME: 'shop', ALERT_TITLE: 'Boo' },
    });
    const request = preview['request'] as Record<string, unknown>;
    assert.deepEqual([request['url'], request['body']], [`${receiver.url}/shop`, 'Boo']);
    assert.equal(receiver.all.length, 0);

    receiver.answer({ status: 202, body: 'thanks' });
    const sent = await service.must('POST', `/v1/alert-channels/${channelId}/test`, {});
    const test = await receiver.received(() => true);
    assert.match(String(test.json['ALERT_TITLE']), /^\[TEST\] /);
    assert.deepEqual(
      [(sent['response'] as { status: number }).status, (sent['response'] as { body: string }).body],
      [202, 'thanks'],
    );
    const page = await fetch(String(test.json['RESULT_LINK']));
    assert.equal(page.status, 200);
    assert.match(await page.text(), /This was a test message[^]*a real alert opens its result/);
  });

  it('waits as configured by its account, unless its group overrides it', async (t, service) => {
    const own = await newAccount(service, 'Patient');
    const { target, receiver, groupId, checkId, trigger } = await fixture(t, own);
    const results = async (): Promise<Record<string, unknown>[]> =>
      (await own.must('GET', `/v1/check-results/${checkId}`)) as unknown as Record<string, unknown>[];
    /** Runs the check and returns the result id and the number of alerts, which are created with results. */
    const runs = async (status: number): Promise<[unknown, number]> => {
      target.answer({ status });
      const { length } = await results();
      await trigger();
      const [newest] = await until('its result', async () => {
        const found = await results();
        return found.length > length && found;
      });
      const alerts = (await own.must('GET', '/v1/check-alerts')) as unknown as readonly unknown[];
      return [newest?.['id'], alerts.length];
    };
    // The account's setting also applies to checks that have run before.
    assert.equal((await runs(200))[1], 0);
    const alertSettings = { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 2 } };
    await own.must('PUT', `/v1/accounts/${own.id}`, { alertSettings });
    assert.equal((await runs(500))[1], 0, 'the first failing run');
    const [second, count] = await runs(500);
    assert.equal(count, 1, 'the second failing run');
    assert.equal((await receiver.alert('ALERT_FAILURE')).json['CHECK_RESULT_ID'], second);
    await runs(200);
    await receiver.alert('ALERT_RECOVERY');
    const atOnce = { ...alertSettings, runBasedEscalation: { failedRunThreshold: 1 } };
    await own.must('PUT', `/v2/check-groups/${groupId}`, { useGlobalAlertSettings: false, alertSettings: atOnce });
    const [first] = await runs(500);
    await receiver.received(({ json }) => json['ALERT_TYPE'] === 'ALERT_FAILURE' && json['CHECK_RESULT_ID'] === first);
    assert.equal(receiver.all.length, 3);
  });

  it('is not sent while its group is muted, but afterwards', async (t, service) => {
    const { target, receiver, groupId, trigger } = await fixture(t, service, { group: { muted: true } });
    target.answer({ status: 500 });
    await trigger();
    await target.hits(1);
    await service.must('PUT', `/v2/check-groups/${groupId}`, { muted: false });
    await trigger();
    await receiver.alert('ALERT_FAILURE');
    assert.equal(receiver.all.length, 1);
  });
});
