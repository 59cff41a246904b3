// Processes that are killed lose nothing and do nothing twice that they need not (design §1).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { test as it } from '../support/each-topology.ts';
import { startReceiver } from '../support/receiver.ts';
import { startScriptedServer } from '../support/scripted-server.ts';
import { assertEverySlotOnce, conservationDifference, openRunRows, resultRows } from '../support/slots.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';

/** Over PostgreSQL nobody knows that another process is dead before its lease has run out, ten seconds. */
const resumesWithinMs = 25_000;

interface LoggedAttempt {
  readonly number: number;
  readonly error?: { readonly class: string };
}

// Most of it is waiting for leases and slots.
const together = { concurrency: 2 };

describe('a process that is killed', together, () => {
  it('during a delivery sends it again with the same id, and logs the attempt that it cannot know the end of', async ({
    t,
    startService,
  }) => {
    const service = await startService(t, {}, { roles: ['api', 'runner', 'deliverer'] });
    const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
    target.answer({ status: 500 });
    receiver.answer('hang');
    const group = await service.must('POST', '/v2/check-groups', { name: 'Shops' });
    const groupId = Number(group['id']);
    const request = { method: 'GET', url: target.url };
    await service.must('POST', '/v1/checks/api', { name: 'Cart', frequency: 1440, groupId, request });
    const config = { url: receiver.url, webhookSecret: secret };
    await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config, subscriptions: [{ groupId }] });
    await service.must('POST', `/v1/triggers/check-groups/${groupId}`);
    const first = await receiver.received(() => true);

    assert.equal((await service.kill('deliverer')).signal, 'SIGKILL');
    receiver.answer({ status: 200 });
    await service.restart();
    const second = await receiver.received((message) => message !== first, resumesWithinMs);
    assert.equal(second.deliveryId, first.deliveryId);
    assert.deepEqual([second.attempt, second.timestamp, second.text], [1, first.timestamp, first.text]);
    const delivery = await until('the delivery to end', async () => {
      const read = await service.must('GET', `/v1/deliveries/${first.deliveryId}`);
      return read['status'] === 'delivered' && read;
    });
    assert.deepEqual(
      (delivery['attempts'] as LoggedAttempt[]).map(({ number, error }) => [number, error?.class]),
      [
        [1, 'interrupted'],
        [1, undefined],
      ],
    );
    assert.equal(receiver.all.length, 2);
  });

  it('during a probe runs that slot again, and records it once', async ({ t, startService }) => {
    const service = await startService(t, {}, { roles: ['api', 'scheduler', 'runner'] });
    const target = await startScriptedServer(t);
    target.answer('hang');
    const group = await service.must('POST', '/v2/check-groups', { name: 'Shops' });
    const request = { method: 'GET', url: target.url };
    const check = await service.must('POST', '/v1/checks/api', {
      name: 'Cart',
      frequency: 1440,
      groupId: group['id'],
      request,
    });
    // It runs at once.
    await target.hits(1);
    await service.kill('runner');
    target.answer({ status: 200 });
    await service.restart();
    await target.hits(2, resumesWithinMs);
    const results = await until('the result', async () => {
      const { body } = await service.api('GET', `/v1/check-results/${String(check['id'])}`);
      return Array.isArray(body) && body.length > 0 && (body as Record<string, unknown>[]);
    });
    assert.deepEqual(
      results.map((result) => result['hasFailures']),
      [false],
    );
  });
});

describe('a check that runs every 10 s', together, () => {
  it('fills every slot once, over a kill and a restart', async ({ t, startService }) => {
    const service = await startService(t, {}, { roles: ['api', 'scheduler', 'runner'] });
    const target = await startScriptedServer(t);
    const request = { method: 'GET', url: target.url };
    const checks = 5;
    for (let n = 0; n < checks; n++) {
      await service.must('POST', '/v1/checks/api', { name: `${n}`, frequency: 0, frequencyOffset: 10, request });
    }
    await target.hits(7, 30_000);
    await service.kill();
    await service.restart();
    const before = target.all.length;
    // Three of each check, and a few for those that the kill cut off: they are asked for again.
    await target.hits(before + 11, 40_000);
    await service.stop();

    service.rows((raw) => {
      assertEverySlotOnce([...resultRows(raw), ...openRunRows(raw)], 10_000, checks);
      for (const [check, own] of Map.groupBy(resultRows(raw), (row) => row.check)) {
        assert.ok(own.length >= 3, `${own.length} results of ${check}`);
      }
      assert.equal(conservationDifference(raw), 0);
    });
  });
});
