// PostgreSQL becomes unavailable and returns: no busy loops, clear reports, and results recorded afterwards.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { firstRun } from '../support/service/first-run.ts';
import { type OwnPostgres, startPostgres, type StopMode } from '../support/postgres/postgres.ts';
import { startCuttingWay } from '../support/postgres/cutting-way.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { startService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const secret = 'a secret between two';
let server: OwnPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

const health = async (address: string, of: 'live' | 'ready') => {
  const answer = await fetch(`${address}/health/${of}`);
  return { status: answer.status, reasons: ((await answer.json()) as { reasons?: string[] }).reasons ?? [] };
};

const metricsOf = async (address: string): Promise<string> => {
  const answer = await fetch(`${address}/metrics`);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return text;
};

for (const [how, mode] of [
  ['is stopped in good order', 'fast'],
  ['is killed', 'immediate'],
] as const satisfies readonly (readonly [string, StopMode])[]) {
  describe(`about PostgreSQL: when the database ${how}`, () => {
    it('processes report it, retry with backoff, and record their results afterwards', async (t) => {
      const database = await server.newDatabase();
      const shared = { DATABASE_URL: database.url, TOCSIN_SECRET_KEY: 'ab'.repeat(32), TOCSIN_PROBE_THREADS: '1' };
      const api = await startService(t, { ...shared, TOCSIN_ROLES: 'api' });
      const worker = await startService(t, { ...shared, TOCSIN_ROLES: 'scheduler,runner,deliverer,upkeep' });
      const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, secret)];
      const { id: groupId } = await api.must('POST', '/v2/check-groups', { name: 'Shops' });
      const { id } = await api.must('POST', '/v1/checks/api', {
        name: 'Cart',
        frequency: 1440,
        groupId,
        // One attempt whose outcome cannot be requested again.
        doubleCheck: false,
        retryStrategy: { type: 'NO_RETRIES' },
        request: { method: 'GET', url: target.url },
      });
      const config = { url: receiver.url, webhookSecret: secret };
      await api.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config, subscriptions: [{ groupId }] });

      await firstRun(api, id);
      // The target responds only after the database is unavailable.
      target.answer({ status: 500, delayMs: 3000 });
      await api.must('POST', `/v1/triggers/check-groups/${String(groupId)}`);
      await target.hits(2);
      await server.halt(mode);
      const goneAt = Date.now();

      for (const { address } of [api, worker]) {
        const ready = await until('readiness to say no', async () => {
          const found = await health(address, 'ready');
          return found.status === 503 && found;
        });
        assert.ok(ready.reasons.length > 0);
        assert.equal((await health(address, 'live')).status, 200, 'a restart would not help');
        const reported = await metricsOf(address);
        assert.match(reported, /^tocsin_database_up 0$/m);
        assert.match(reported, /^tocsin_process_info\{.+\} 1$/m);
        assert.match(reported, /^tocsin_process_last_sign_timestamp_seconds \d{10}/m);
        assert.doesNotMatch(reported, /^tocsin_(?:conservation_difference|runs|outbox_age_seconds)[ {]/m);
      }
      const refused = await api.api('GET', '/v1/checks');
      assert.deepEqual(
        [refused.status, refused.body['statusCode'], refused.body['error']],
        [503, 503, 'Service Unavailable'],
      );
      await until('the finding to wait', async () =>
        (await health(worker.address, 'ready')).reasons.some((reason) =>
          /results waiting for the database: 1/.test(reason),
        ),
      );
      const lines = (worker.printed.match(/failed"\}?/g) ?? []).length;
      const seconds = (Date.now() - goneAt) / 1000;
      // Each loop of the worker and the writer, with backoff: at most three times a second, and decreasing.
      const steps = new Set(worker.printed.match(/"step":"[a-z-]+"/g)).size + 1;
      assert.ok(lines <= steps * (3 + seconds), `${lines} lines in ${seconds} s:\n${worker.printed}`);

      await server.begin();
      await until('readiness to come back', async () => (await health(worker.address, 'ready')).status === 200);
      await until('the API to come back', async () => (await api.api('GET', '/v1/checks')).status === 200);
      const alert = await receiver.alert('ALERT_FAILURE');
      assert.equal(alert.json['CHECK_ID'], id);
      assert.equal(target.all.length, 2, 'it was probed once: what was found had waited in memory');
      const metrics = await metricsOf(worker.address);
      assert.match(metrics, /^tocsin_database_up 1$/m);
      assert.match(metrics, /^tocsin_conservation_difference 0$/m);
      assert.match(metrics, /^tocsin_runs\{what="failed"\} 1$/m);
    });
  });
}

/** Statements of a starting process, in two halves. It waits longer after each failure. */
const startingSteps = {
  'while it opens the database': ['clock_timestamp()', 'CREATE TABLE results_'],
  'when it has opened it': [
    'pg_attribute',
    'runtime_stages',
    'insert into "processes"',
    'next_due_at > $1 + interval_ms',
    'insert into "accounts"',
  ],
};

describe('about PostgreSQL: when the database becomes unavailable during a start', () => {
  for (const [when, statements] of Object.entries(startingSteps)) {
    it(`${when}, the start retries and completes`, async (t) => {
      const way = await startCuttingWay(t, (await server.newDatabase()).url, statements);
      const service = await startService(t, { DATABASE_URL: way.url, TOCSIN_SECRET_KEY: 'ab'.repeat(32) });
      assert.deepEqual(way.left, [], 'each of these statements was cut once');
      assert.equal((await service.api('GET', '/v1/checks')).status, 200);
    });
  }
});
