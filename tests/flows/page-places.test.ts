// Where status pages are: the same at two API processes, and never copied into this installation itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { startComposed } from '../support/service/composed.ts';
import { asker, startService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const busyMachine = { withinMs: 60_000 };

test('about PostgreSQL: a page that is changed through one API process is served by both', async (t) => {
  const { url } = await (await sharedPostgres()).newDatabase();
  const shared = { DATABASE_URL: url, TOCSIN_SECRET_KEY: 'ab'.repeat(32), TOCSIN_PROBE_THREADS: '1' };
  const one = await startService(t, { ...shared, TOCSIN_ROLES: 'api' });
  const two = await startService(t, { ...shared, TOCSIN_ROLES: 'api,scheduler,runner,deliverer,upkeep' });
  const { id } = await one.must('POST', '/v1/status-pages', { name: 'First name', url: 'example' });
  const served = async (text: string): Promise<void> => {
    for (const { address } of [one, two]) {
      await until(
        text,
        async () => (await (await fetch(`${address}/status/example/`)).text()).includes(text),
        busyMachine,
      );
    }
  };
  await served('First name');
  await two.must('PUT', `/v1/status-pages/${String(id)}`, { name: 'Second name' });
  await served('Second name');
  await one.must('PUT', `/v1/status-pages/${String(id)}`, { isPublished: false });
  for (const { address } of [one, two]) {
    await until('a draft', async () => (await fetch(`${address}/status/example/`)).status === 404, busyMachine);
  }
});

test('a bucket at an address of this installation is refused, without its secret in the log', async (t) => {
  const port = await freePort();
  const service = await startComposed(t, {
    PORT: String(port),
    TOCSIN_PUBLISH_BUCKET: `http://127.0.0.1:${port}/pages`,
    TOCSIN_PUBLISH_BUCKET_KEY_ID: 'key',
    TOCSIN_PUBLISH_BUCKET_SECRET: 'secret-canary',
  });
  const { must } = asker(() => service.address, service.apiKey);
  await must('POST', '/v1/status-pages', { name: 'Example status', url: 'example' });
  const line = await until('the refusal', () => service.logged.find(({ name }) => name === 'page-copies.failed'));
  assert.match(String(line.fields['error']), /Tocsin/);
  assert.doesNotMatch(JSON.stringify(service.logged), /secret-canary/);
});
