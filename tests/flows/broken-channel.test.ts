// A channel that an update broke is reported at the start until it is fixed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as composedTest } from 'node:test';
import { startComposed } from '../support/service/composed.ts';
import { test } from '../support/service/one-process.ts';
import { asker } from '../support/service/service.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

interface NoticeBody {
  readonly id: string;
  readonly kind: string;
  readonly message: string;
}

test('a channel that this version cannot render is logged and listed in notices until it is fixed', async ({
  t,
  startService,
}) => {
  // Two deliverers.
  const service = await startService(t, { LOG_LEVEL: 'info' });
  const config = { name: 'on call', url: 'https://receiver.example/', template: '{{uppercase CHECK_NAME}}' };
  await service.must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
  const unnamed = { type: 'WEBHOOK', config: { url: 'https://other.example/' } };
  await service.must('POST', '/v1/alert-channels', unnamed);
  const ofChannel = async (): Promise<NoticeBody[]> => {
    const notices = (await service.must('GET', '/v1/notices')) as unknown as NoticeBody[];
    return notices.filter(({ kind }) => kind === 'channel-broken');
  };
  assert.deepEqual(await ofChannel(), []);
  assert.equal((await service.stop()).code, 0);
  // As if the helper had existed when it was saved.
  service.rows((raw) => raw.exec(`UPDATE alert_channels SET config = replace(config, 'uppercase', 'gone_by_now')`));
  // As if email had been set up when it was saved.
  const address = '{"name":"","address":"ops@example.com"}';
  service.rows((raw) => raw.exec(`UPDATE alert_channels SET type = 'EMAIL', config = '${address}' WHERE id = 2`));

  await service.restart();
  await until('the notices', async () => (await ofChannel()).length > 1);
  const [notice, email] = await ofChannel();
  assert.equal(notice?.id, 'channel-broken:1');
  assert.match(
    notice?.message ?? '',
    /"on call" cannot send .* unknown helper gone_by_now .*config\.template, line 1, column 1/,
  );
  assert.equal(
    email?.message,
    'The alert channel "email o…@example.com (channel 2)" cannot send alerts: Email is not set up: set TOCSIN_SMTP_URL and TOCSIN_MAIL_FROM (docs/email.md).',
  );
  const lines = await until('a line of each process', () => {
    const reported = service.printed.split('\n').filter((line) => line.includes('"channel.broken"'));
    return (
      reported.length >= 2 * service.addresses.length &&
      reported.map((line) => JSON.parse(line) as Record<string, unknown>)
    );
  });
  assert.deepEqual(
    lines.map(({ level, id }) => [level, id]),
    service.addresses.flatMap(() => [
      ['warn', 1],
      ['warn', 2],
    ]),
  );

  await service.must('PUT', '/v1/alert-channels/1', { config });
  assert.deepEqual(
    (await ofChannel()).map(({ id }) => id),
    ['channel-broken:2'],
  );
});

composedTest(
  'every process that renders alerts has looked at the templates beforehand: the one that judges heartbeats, too',
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tocsin-broken-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const ends: (() => void | Promise<void>)[] = [];
    const first = await startComposed({ after: (end) => void ends.push(end) }, { TOCSIN_DATA_DIR: folder });
    const config = { name: 'on call', url: 'https://receiver.example/', template: '{{uppercase CHECK_NAME}}' };
    await asker(() => first.address, first.apiKey).must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
    first.raw.exec(`UPDATE alert_channels SET config = replace(config, 'uppercase', 'gone_by_now')`);
    for (const end of ends) await end();
    for (const role of ['api', 'scheduler', 'runner', 'deliverer']) {
      const ended: (() => void | Promise<void>)[] = [];
      const environment = { TOCSIN_DATA_DIR: folder, TOCSIN_ROLES: role };
      const { logged } = await startComposed({ after: (end) => void ended.push(end) }, environment);
      await until(`the process of the ${role} to look`, () => logged.some(({ name }) => name === 'channel.broken'));
      for (const end of ended) await end();
    }
  },
);

composedTest(
  'a notice of a failing channel hides values of locked variables, and paths from keys that only read',
  async (t) => {
    const service = await startComposed(t);
    const { must } = asker(() => service.address, service.apiKey);
    await must('POST', '/v1/variables', { key: 'HOOK_TOKEN', value: 'hookcanary', locked: true });
    const config = { name: 'Chat', url: 'https://receiver.example/{{HOOK_TOKEN}}' };
    await must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config });
    const reason = 'the receiver redirects to https://new.example/v2/hookcanary (302), and redirects are not followed';
    service.raw
      .prepare('UPDATE alert_channels SET exhausted_in_a_row = 2, failing_since = 1, failing_reason = ?')
      .run(reason);
    const { key } = await must('POST', '/v1/api-keys', { name: 'reader', role: 'read-only' });
    const noticeFor = async (who: string): Promise<NoticeBody | undefined> => {
      const notices = (await asker(() => service.address, who).must('GET', '/v1/notices')) as unknown as NoticeBody[];
      return notices.find(({ kind }) => kind === 'channel-failing');
    };
    const shown = (address: string): string =>
      `The last 2 messages to the channel "Chat" could not be delivered: the receiver redirects to ${address} (302), and redirects are not followed.`;
    assert.equal((await noticeFor(service.apiKey))?.message, shown('https://new.example/v2/********'));
    assert.equal((await noticeFor(String(key)))?.message, shown('https://new.example/…'));
  },
);

composedTest('log lines of a lost delivery and its channel hide values of locked variables', async (t) => {
  const service = await startComposed(t);
  const { must } = asker(() => service.address, service.apiKey);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await must('POST', '/v1/variables', { key: 'HOOK_HOST', value: '127.0.0.1', locked: true });
  const config = { name: 'Chat', url: `http://{{HOOK_HOST}}:${port}/` };
  await must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config, autoSubscribe: true });
  const request = { method: 'GET', url: `http://127.0.0.1:${port}/` };
  await must('POST', '/v1/checks/api', { name: 'Shop', frequency: 10, request });
  const attempted = await until('the first attempt', () =>
    service.raw.prepare('SELECT hex(id) AS id FROM deliveries WHERE attempts = 1').get(),
  );
  // As if four more attempts had failed.
  service.raw.exec('UPDATE deliveries SET attempts = 5');
  const id = String(attempted['id'])
    .toLowerCase()
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  await must('POST', `/v1/deliveries/${id}/retry`);
  const line = (name: string) => until(name, () => service.logged.find((each) => each.name === name));
  const shown = new RegExp(String.raw`^connection refused by \*{8}:${port} after \d+ ms$`);
  assert.match(String((await line('delivery.exhausted')).fields['error']), shown);
  assert.match(String((await line('channel.failing')).fields['reason']), shown);
});

composedTest(
  'an alert that a channel can no longer render is logged and reported through another channel',
  async (t) => {
    const on = await startComposed(t);
    const { must } = asker(() => on.address, on.apiKey);
    const receiver = await startScriptedServer(t);
    const url = receiver.url;
    const made = { type: 'WEBHOOK', config: { name: 'on call', url } };
    await must('POST', '/v1/alert-channels', { ...made, autoSubscribe: true });
    await must('POST', '/v1/alert-channels', made);
    // As if email had been set up when it was saved.
    on.raw.exec(`UPDATE alert_channels SET type = 'EMAIL', config = '{"address":"ops@example.com"}' WHERE id = 1`);
    receiver.answer({ status: 503 });
    const request = { method: 'GET', url };
    await must('POST', '/v1/checks/api', { name: 'Cart', frequency: 0, frequencyOffset: 10, request });
    const count = (name: string) => on.logged.filter((line) => line.name === name);
    await until('the report', () => count('channel.failing').length > 0);
    assert.deepEqual(
      count('delivery.failed').map(({ fields: { channel, error } }) => [channel, error]),
      [[1, 'Email is not set up: set TOCSIN_SMTP_URL and TOCSIN_MAIL_FROM (docs/email.md)']],
    );
    const { notified, name, reason } = count('channel.failing')[0]?.fields ?? {};
    assert.deepEqual([notified, name], [1, 'email o…@example.com (channel 1)']);
    assert.match(String(reason), /^Email is not set up/);
  },
);

composedTest('a channel at an address that the egress policy forbids is reported, counted and marked', async (t) => {
  const egress = { TOCSIN_EGRESS: 'public', TOCSIN_EGRESS_ALLOW: '127.0.0.0/8' };
  const on = await startComposed(t, egress);
  const { must } = asker(() => on.address, on.apiKey);
  const receiver = await startScriptedServer(t);
  const { url } = receiver;
  const slack = { type: 'SLACK', config: { name: 'Ops chat', url: 'https://10.20.30.40/services/T/B/secret' } };
  await must('POST', '/v1/alert-channels', { ...slack, autoSubscribe: true });
  await must('POST', '/v1/alert-channels', { type: 'WEBHOOK', config: { name: 'on call', url } });
  receiver.answer(({ method }) => ({ status: method === 'GET' ? 503 : 200 }));
  await must('POST', '/v1/checks/api', { name: 'Cart', frequency: 1440, request: { method: 'GET', url } });
  const report = await until('the report', () => receiver.all.find(({ method }) => method === 'POST'));
  const { ALERT_TITLE, CHECK_ERROR_MESSAGE } = JSON.parse(report.body.toString()) as Record<string, unknown>;
  assert.equal(ALERT_TITLE, 'Alert channel "Ops chat" does not receive alerts');
  assert.match(String(CHECK_ERROR_MESSAGE), /10\.20\.30\.40 is a private address; .* It was for the check "Cart"\.$/);
  const { isFailing } = await must('GET', '/v1/alert-channels/1');
  const { deliveries } = (await must('GET', '/v1/overview')) as unknown as { deliveries: { exhausted24h: number } };
  const lost = (await must('GET', '/v1/deliveries?status=lost')) as unknown as { status: string }[];
  assert.deepEqual([isFailing, deliveries.exhausted24h, lost.map(({ status }) => status)], [true, 1, ['refused']]);
});
