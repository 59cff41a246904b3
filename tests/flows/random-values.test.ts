// Random template values of a running service (spec §6.3, §8).
import assert from 'node:assert/strict';
import { describe } from '../support/service/one-process.ts';
import { startReceiver } from '../support/receivers/receiver.ts';

const template = '{"uuid": "{{$UUID}}", "again": "{{$UUID}}", "number": {{$RANDOM_NUMBER}} }';
const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('random values', {}, ({ it }) => {
  it('$UUID is version 4 and $RANDOM_NUMBER is from 0 to 1000, new for each delivery', async (t, service) => {
    const receiver = await startReceiver(t, 'secret');
    const request = { method: 'GET', url: 'http://127.0.0.1:1/' };
    const group = await service.must('POST', '/v2/check-groups', { name: 'Many' });
    await service.must('POST', '/v1/alert-channels', {
      type: 'WEBHOOK',
      subscriptions: [{ groupId: group['id'] }],
      config: { url: receiver.url, template, webhookSecret: 'secret' },
    });
    const checks = 40;
    for (let index = 0; index < checks; index++) {
      await service.must('POST', '/v1/checks/api', {
        name: `${index}`,
        frequency: 1440,
        groupId: group['id'],
        request,
      });
    }
    await service.must('POST', `/v1/triggers/check-groups/${String(group['id'])}`);
    await receiver.received(() => receiver.all.length >= checks, 20_000);

    const sent = receiver.all.map(({ json }) => json as { uuid: string; again: string; number: number });
    for (const { uuid, again, number } of sent) {
      assert.match(uuid, version4);
      assert.equal(again, uuid);
      assert.ok(Number.isInteger(number) && number >= 0 && number <= 1000, `${number}`);
    }
    assert.equal(new Set(sent.map(({ uuid }) => uuid)).size, sent.length);
    assert.ok(new Set(sent.map(({ number }) => number)).size > 10, 'they are not always the same');
  });
});
