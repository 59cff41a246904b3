// A script of a service on PostgreSQL cannot reach that PostgreSQL, with or without its password: from configuration to
// result.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startPostgres } from '../support/postgres/postgres.ts';
import { containmentHere } from '../support/scripts/script-runs.ts';
import { startService } from '../support/service/service.ts';
import { startTcpTarget } from '../support/targets/target.ts';
import { until } from '../support/until.ts';

before(async () => {
  const { containment, refused } = await containmentHere();
  assert.match(containment, /bubblewrap|namespaces/, `scripts cannot be contained here: ${refused.join('; ')}`);
});

test('a script is refused the database of its service, but reaches other servers there', async (t) => {
  const server = await startPostgres();
  t.after(() => server.stop());
  const { url } = await server.newDatabase();
  const service = await startService(t, { DATABASE_URL: url, TOCSIN_SECRET_KEY: 'ab'.repeat(32) });
  const beside = await startTcpTarget(t, (socket) => socket.end('beside'));
  const script = `import { test } from '@playwright/test';
import { text } from 'node:stream/consumers';
import net from 'node:net';
import pg from 'pg';
test('beside', async () => {
  if (await text(net.connect(${beside.port}, '127.0.0.1')) !== 'beside') throw new Error('nothing beside');
});
for (const host of ['127.0.0.1', 'localhost']) test(host, async () => {
  const client = new pg.Client({ connectionString: ${JSON.stringify(url)}.replace('@127.0.0.1', '@' + host) });
  await client.connect();
});`;
  const wanted = { name: 'Shop', frequency: 1440, script };
  const { id } = await service.must('POST', '/v1/checks/multistep', wanted);
  // New checks run at once.
  const found = await until(
    'a result',
    async () => ((await service.must('GET', `/v1/check-results/${String(id)}`)) as unknown as Finding[])[0],
    { withinMs: 60_000 },
  );
  assert.deepEqual([found.outcome, found.reason], ['failed', 'egress-refused'], JSON.stringify(found));
  const messages = found.multiStepCheckResult.errors.map(({ message }) => message);
  assert.equal(messages.length, 2, messages.join('\n'));
  for (const message of messages) {
    assert.match(message, /refused by the egress policy: .*127\.0\.0\.1\]?:\d+ is Tocsin's own database/);
  }
});

interface Finding {
  readonly outcome: string;
  readonly reason: string;
  readonly multiStepCheckResult: { readonly errors: readonly { readonly message: string }[] };
}
