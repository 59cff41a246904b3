// A maintenance window over running checks: paused or silenced, and nothing is lost.
import assert from 'node:assert/strict';
import { describe } from '../support/service/one-process.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { newAccount } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';
const iso = (at: number): string => new Date(at).toISOString();

describe('checks under maintenance', {}, ({ it }) => {
  it('are not run or send no alerts, and those still failing at its end alert then', async (t, common) => {
    // Its windows apply to all checks of an account.
    const service = await newAccount(common, 'Upgraded');
    const [paused, silenced] = [await startScriptedServer(t), await startScriptedServer(t)];
    const receiver = await startReceiver(t, secret);
    paused.answer({ status: 500 });
    silenced.answer({ status: 500 });
    const now = Date.now();
    const window = await service.must('POST', '/v1/maintenance-windows', {
      name: 'Upgrade',
      tags: ['database'],
      silenceAlertsTags: ['shop'],
      startsAt: iso(now - 60_000),
      endsAt: iso(now + 3_600_000),
    });
    const config = { url: receiver.url, webhookSecret: secret };
    await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
    const make = async (name: string, url: string): Promise<string> => {
      const body = { name, tags: [name], frequency: 0, frequencyOffset: 10, request: { method: 'GET', url } };
      return String((await service.must('POST', '/v1/checks/api', body))['id']);
    };
    const database = await make('database', paused.url);
    const shop = await make('shop', silenced.url);
    const resultsOf = async (id: string): Promise<readonly Record<string, unknown>[]> => {
      const answer = await service.api('GET', `/v1/check-results/${id}`);
      return answer.body as unknown as Record<string, unknown>[];
    };
    await until(
      'a slot of each',
      async () => (await resultsOf(database)).length > 0 && (await resultsOf(shop)).length > 0,
      {
        withinMs: 25_000,
      },
    );
    const [missed] = await resultsOf(database);
    assert.equal(paused.all.length, 0);
    assert.match(JSON.stringify(missed), /a maintenance window pauses the check/);
    const status = await service.must('GET', `/v1/check-statuses/${shop}`);
    assert.equal(status['hasFailures'], true, 'what is silenced is seen all the same');
    assert.deepEqual(receiver.all, []);

    // A trigger runs paused checks, too.
    const { token } = await service.must('POST', `/v1/triggers/checks/${database}`);
    assert.equal((await service.api('GET', `/checks/${database}/trigger/${String(token)}`)).status, 503);
    assert.ok(paused.all.length > 0);
    assert.deepEqual(receiver.all, [], 'and tells nobody');

    await service.must('DELETE', `/v1/maintenance-windows/${String(window['id'])}`);
    for (const id of [shop, database]) {
      const { json } = await receiver.received((message) => message.json['CHECK_ID'] === id, 25_000);
      assert.equal(json['ALERT_TYPE'], 'ALERT_FAILURE');
    }
    await service.must('POST', '/v1/maintenance-windows', {
      name: 'Again',
      silenceAllAlerts: true,
      startsAt: iso(now - 60_000),
      endsAt: iso(now + 3_600_000),
    });
    silenced.answer({ status: 200 });
    const { json } = await receiver.alert('ALERT_RECOVERY', 25_000);
    assert.equal(json['CHECK_ID'], shop, 'the channel that received the failure receives the recovery');
  });
});
