// Killed processes lose nothing and repeat nothing unnecessarily (design §1).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { test as it } from '../support/service/each-topology.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { assertEverySlotOnce, conservationDifference, openRunRows, resultRows } from '../support/store/slots.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';

/** On PostgreSQL a process counts as dead when its lease expires, after ten seconds. */
const resumesWithinMs = 25_000;

interface LoggedAttempt {
  readonly number: number;
  readonly error?: { readonly class: string };
}

// Mostly waits for leases and slots.
describe('killed processes', { concurrency: 2 }, () => {
  it('send an interrupted delivery again with the same id, and run an interrupted slot again', async ({
    t,
    startService,
  }) => {
    const service = await startService(t);
    const [target, hanging] = [await startScriptedServer(t), await startScriptedServer(t)];
    const receiver = await startReceiver(t, secret);
    target.answer({ status: 500 });
    hanging.answer('hang');
    receiver.answer('hang');
    const make = async (name: string, { url }: { readonly url: string }): Promise<string> => {
      const body = { name, frequency: 1440, request: { method: 'GET', url } };
      return String((await service.must('POST', '/v1/checks/api', body))['id']);
    };
    const config = { url: receiver.url, webhookSecret: secret };
    await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', autoSubscribe: true, config });
    // New checks run at once.
    await make('failing', target);
    const hung = await make('hanging', hanging);
    const first = await receiver.received(() => true);
    await hanging.hits(1);

    assert.equal((await service.kill()).signal, 'SIGKILL');
    receiver.answer({ status: 200 });
    hanging.answer({ status: 200 });
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
    await hanging.hits(2, resumesWithinMs);
    const results = await until('the result', async () => {
      const { body } = await service.api('GET', `/v1/check-results/${hung}`);
      return Array.isArray(body) && body.length > 0 && (body as Record<string, unknown>[]);
    });
    assert.deepEqual(
      results.map((result) => result['hasFailures']),
      [false],
    );
    assert.equal(receiver.all.length, 2);
  });

  it('fill every slot of a check once, across a kill and a restart', async ({ t, startService }) => {
    const service = await startService(t, {});
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
    // Three per check, plus those that were interrupted and repeated.
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
