// Outside the active hours of a channel, alerts are sent through another one or wait, through the real service.
import assert from 'node:assert/strict';
import { describe } from '../support/service/one-process.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';
const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;

describe('active hours', {}, ({ it }) => {
  it('move alerts and their recovery to another channel, or let them wait', async (t, service) => {
    const [target, pager, office] = [
      await startScriptedServer(t),
      await startReceiver(t, secret),
      await startReceiver(t, secret),
    ];
    const channel = (url: string, more: object) => {
      const config = { url, webhookSecret: secret };
      return service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config, ...more });
    };
    const inThreeDays = weekdays[(new Date().getUTCDay() + 3) % 7];
    const hours = { timeZone: 'UTC', periods: [{ days: [inThreeDays], from: '08:00', to: '09:00' }] };
    const { id: pagerId } = await channel(pager.url, {});
    const moved = { ...hours, outside: 'OTHER_CHANNEL', otherChannelId: pagerId };
    const { id: movedId } = await channel(office.url, { autoSubscribe: true, activeHours: moved });
    const { id: waitingId } = await channel(office.url, { autoSubscribe: true, activeHours: hours });
    target.answer({ status: 500 });
    const request = { method: 'GET', url: target.url };
    await service.must('POST', '/v1/checks/api', { name: 'Shop', frequency: 0, frequencyOffset: 10, request });
    await pager.alert('ALERT_FAILURE', 20_000);
    target.answer({ status: 200 });
    await pager.alert('ALERT_RECOVERY', 20_000);
    const list = async (id: unknown) =>
      Object.values(await service.must('GET', `/v1/deliveries?alertChannelId=${String(id)}`)) as Record<
        string,
        unknown
      >[];
    assert.deepEqual(
      (await list(pagerId)).map(({ routedFrom, status }) => [routedFrom, status]),
      [
        [movedId, 'delivered'],
        [movedId, 'delivered'],
      ],
    );
    // The recovery waits for the failure, which waits for the hours.
    await until('the failure to wait', async () =>
      /active hours/.test(String((await list(waitingId)).at(-1)?.['error'])),
    );
    assert.equal(office.all.length, 0);
    await service.must('PUT', `/v1/alert-channels/${String(waitingId)}`, { activeHours: null });
    await office.alert('ALERT_FAILURE', 10_000);
    await office.alert('ALERT_RECOVERY', 10_000);
  });
});
