// Reminders of a failing check through the real service, with the clock set forward.
import assert from 'node:assert/strict';
import { test } from '../support/service/one-process.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { startWithClock } from '../support/service/service-clock.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';

test('a receiver of an alert gets reminders as configured, and the recovery', async (given) => {
  const { t } = given;
  const { on: service, advance } = await startWithClock(given);
  const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
  target.answer({ status: 500 });
  const config = { url: receiver.url, webhookSecret: secret };
  await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
  const { id } = await service.must('POST', '/v1/checks/api', {
    name: 'Cart',
    frequency: 1440,
    request: { method: 'GET', url: target.url },
    useGlobalAlertSettings: false,
    alertSettings: { reminders: { amount: 1, interval: 5 } },
  });
  const run = (): Promise<unknown> => service.must('POST', `/v1/triggers/checks/${String(id)}`);
  await run();
  const failure = await receiver.alert('ALERT_FAILURE');
  assert.deepEqual([failure.json['IS_REMINDER'], failure.json['REMINDER_SEQUENCE']], [false, '']);
  /** Runs until something was sent. */
  const runUntilNotified = (count: number): Promise<unknown> =>
    until(`alert ${count}`, async () => {
      await run();
      return receiver.all.length >= count;
    });
  await advance(6 * 60_000);
  await runUntilNotified(2);
  await advance(12 * 60_000);
  for (let runs = 0; runs < 5; runs++) await run();
  target.answer({ status: 200 });
  await runUntilNotified(3);
  assert.deepEqual(
    receiver.all.map(({ json }) => [json['ALERT_TYPE'], json['IS_REMINDER'], json['REMINDER_SEQUENCE']]),
    [
      ['ALERT_FAILURE', false, ''],
      ['ALERT_FAILURE', true, 1],
      ['ALERT_RECOVERY', false, ''],
    ],
  );
});
