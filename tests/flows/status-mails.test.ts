// An update of an incident reaches 700 subscribers once, though processes are killed meanwhile, and delays no alert.
import assert from 'node:assert/strict';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { readMail } from '../support/receivers/read-mail.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { startSmtpServer } from '../support/receivers/smtp-server.ts';
import { test } from '../support/service/each-topology.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

/** More than are handed to sending at once. */
const subscribers = 700;
/** Mails that the server answers before the process is killed. */
const answered = 40;
const busyMachine = { withinMs: 120_000 };
const hostile = 'Payments\r\nBcc: x@example.org <b>&"\u202e';
/** On PostgreSQL a process counts as dead when its lease expires, after ten seconds. */
const longestAlertMs = 10_000;

test('subscribers of a status page receive an update once, while an alert is sent in time', async ({
  t,
  startService,
}) => {
  // Until the process is killed, the server accepts further mails without an answer, so that some are in progress then.
  let isAnswering = false;
  const server = await startSmtpServer({
    reply: (step, count) => (step === 'body' && count > answered && !isAnswering ? 'lose' : undefined),
  });
  t.after(() => server.close());
  const service = await startService(t, {
    TOCSIN_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    TOCSIN_MAIL_FROM: 'Tocsin <alerts@example.com>',
  });
  const [target, receiver] = [await startScriptedServer(t), await startReceiver(t, 'secret')];
  target.answer({ status: 500 });
  const config = { url: receiver.url, webhookSecret: 'secret' };
  const { id: channelId } = await service.must('POST', '/v1/alert-channels', {
    type: 'WEBHOOK',
    autoSubscribe: true,
    config,
  });
  const { id: serviceId } = await service.must('POST', '/v1/status-pages/services', { name: hostile });
  const { id: pageId } = await service.must('POST', '/v1/status-pages', {
    name: hostile,
    url: 'example',
    cards: [{ name: 'Shop', services: [serviceId] }],
    alertChannelIds: [channelId],
  });
  service.rows((raw) => {
    const [account] = raw.prepare('SELECT account_id AS id FROM status_pages').all();
    const add = raw.prepare(
      `INSERT INTO status_subscribers (account_id, page_id, id, email, confirmed_at, requested_at, mail_attempts, created_at)
       VALUES (?, ?, ?, ?, 1, 1, 0, 1)`,
    );
    for (let index = 0; index < subscribers; index++) {
      add.run(account?.['id'] as Uint8Array, idBytes(String(pageId)), idBytes(newId()), `s${index}@example.com`);
    }
  });
  const { id: incidentId } = await service.must('POST', '/v1/status-pages/incidents', {
    name: hostile,
    services: [serviceId],
    incidentUpdates: [{ status: 'INVESTIGATING', description: 'We **look** <script>alert(1)</script>.' }],
  });
  const notified = async (): Promise<Record<string, unknown> | null> => {
    const incident = await service.must('GET', `/v1/status-pages/incidents/${String(incidentId)}`);
    const [update] = incident['incidentUpdates'] as { notified: Record<string, unknown> | null }[];
    return update?.notified ?? null;
  };
  await until('the change', async () => (await notified())?.['status'] === 'DUE', busyMachine);
  assert.equal(server.mails.length, 0);
  // As if the minute was over.
  service.rows((raw) => raw.exec('UPDATE status_page_changes SET due_at = 1'));
  await until('some mails', () => server.mails.length > answered, busyMachine);
  assert.equal((await notified())?.['status'], 'SENDING');
  assert.equal((await service.kill()).signal, 'SIGKILL');
  isAnswering = true;
  await service.restart();
  const before = server.mails.length;
  await service.must('POST', '/v1/checks/api', {
    name: 'failing',
    frequency: 1440,
    request: { method: 'GET', url: target.url },
  });
  await target.hits(1, longestAlertMs);
  const probedAt = performance.now();
  await receiver.received(({ text }) => text.includes('ALERT_FAILURE'), longestAlertMs);
  assert.ok(performance.now() - probedAt < longestAlertMs);
  await until('mails beside it', () => server.mails.length > before, busyMachine);
  await until('all mails', () => new Set(server.mails.map(({ to }) => to)).size === subscribers, busyMachine);
  const { dueAt, ...progress } = (await notified()) ?? {};
  assert.equal(typeof dueAt, 'string');
  assert.deepEqual(progress, { status: 'SENT', notified: subscribers, subscribers });
  const repeated = server.mails.length - subscribers;
  // Only what was in progress when the process was killed is sent again, with the same bytes.
  assert.ok(repeated >= 1 && repeated <= 4, String(repeated));
  const byReader = Map.groupBy(server.mails, ({ to }) => to);
  for (const mails of byReader.values()) assert.equal(new Set(mails.map(({ raw }) => raw)).size, 1);

  const { headers, text, html } = readMail(server.mails[0]?.raw ?? '');
  assert.equal(headers['bcc'], undefined);
  assert.match(headers['subject'] ?? '', /^\[Payments Bcc: x@example\.org <b>&"\] Payments Bcc: .*: Investigating$/);
  assert.match(headers['list-unsubscribe'] ?? '', /^<http:\/\/[^<>]+\/status\/example\/unsubscribe\/[\w-]+>$/);
  assert.equal(headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click');
  assert.equal(headers['auto-submitted'], 'auto-generated');
  assert.match(text, /We \*\*look\*\* <script>alert\(1\)<\/script>\./);
  assert.match(html, /We <strong>look<\/strong> &lt;script&gt;/);
  assert.ok(!/<script|<img|src=/.test(html), html);
  const url = `/status/example/incidents/${String(incidentId)}.html`;
  assert.ok(text.includes(url) && html.includes(url));
  assert.ok(text.includes((headers['list-unsubscribe'] ?? '').slice(1, -1)));
  const channel = receiver.all.filter((message) => message.text.includes('"status-page"'));
  assert.equal(new Set(channel.map(({ deliveryId }) => deliveryId)).size, 1, 'the channel receives it once');
  const listed = '/v1/deliveries?limit=1&status=delivered&alertChannelId=0';
  const [sent] = (await service.must('GET', listed)) as unknown as Record<string, unknown>[];
  assert.deepEqual([sent?.['alertChannelId'], sent?.['alertType'], typeof sent?.['pageChangeId']], [0, null, 'string']);
  const path = `/v1/deliveries/${String(sent?.['id'])}`;
  assert.match(JSON.stringify(await service.must('GET', path)), /@example\.com.*unsubscribe/s);
  const { key } = await service.must('POST', '/v1/api-keys', { name: 'reader', role: 'read-only' });
  const read = await service.api('GET', path, undefined, { authorization: `Bearer ${String(key)}` });
  assert.equal(read.status, 200);
  assert.ok(!/@example\.com|unsubscribe/.test(JSON.stringify(read.body)), 'readers see no addresses');
});
