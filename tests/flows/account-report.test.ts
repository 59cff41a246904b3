// The weekly report through the real service, whatever its processes: one mail per period, replayed on request.
import assert from 'node:assert/strict';
import { periodAt } from '#domain/checks/calendar.ts';
import { nextReportAt } from '#domain/results/account-report.ts';
import { test } from '../support/service/one-process.ts';
import { readMail } from '../support/receivers/read-mail.ts';
import { startSmtpServer } from '../support/receivers/smtp-server.ts';
import { startWithClock } from '../support/service/service-clock.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { until } from '../support/until.ts';

const hourMs = 3_600_000;

test('a channel receives one report per week, which can be replayed', async (given) => {
  const server = await startSmtpServer();
  given.t.after(() => server.close());
  const environment = { TOCSIN_SMTP_URL: `smtp://localhost:${server.port}`, TOCSIN_MAIL_FROM: 'alerts@example.com' };
  const { on: service, advance } = await startWithClock(given, { environment });
  const target = await startScriptedServer(given.t);
  target.answer({ status: 503 });
  await service.must('POST', '/v1/checks/api', {
    name: 'Cart API',
    frequency: 1440,
    request: { method: 'GET', url: target.url },
  });
  const config = { address: 'ops@example.org' };
  const report = { every: 'week', timeZone: 'Europe/Berlin' } as const;
  const { id } = await service.must('POST', '/v1/alert-channels', { type: 'EMAIL', config, report });
  await until('an incident', async () => {
    const incidents = (await service.must('GET', '/v1/check-incidents')) as unknown as readonly unknown[];
    return incidents.length === 1;
  });
  // Shortly after the report on the current week is due, whatever day it is.
  const dueAt = nextReportAt(report, periodAt('week', Date.now(), report.timeZone).to);
  await advance(dueAt - Date.now() + 60_000);
  await until('the report', () => server.mails.length > 0);
  const mail = readMail(server.mails[0]?.raw ?? '');
  assert.match(mail.headers['subject'] ?? '', /^Weekly report: .*, 1 incident$/);
  assert.match(mail.text, /\nLongest incidents:\n- Cart API: since /);
  const [delivery] = (await service.must('GET', '/v1/deliveries')) as unknown as readonly Record<string, unknown>[];
  assert.deepEqual([delivery?.['alertChannelId'], delivery?.['alertType']], [id, null]);
  // Long enough for other processes to look for due reports.
  await advance(hourMs);
  await service.must('POST', `/v1/deliveries/${String(delivery?.['id'])}/replay`);
  await until('the replay', () => server.mails.length > 1);
  assert.equal(server.mails.length, 2);
  assert.match(readMail(server.mails[1]?.raw ?? '').headers['subject'] ?? '', /\(replayed\)$/);
});

test('a report is sent on request to the address of a channel, on the checks of a group, as a delivery', async (given) => {
  const server = await startSmtpServer();
  given.t.after(() => server.close());
  const environment = { TOCSIN_SMTP_URL: `smtp://localhost:${server.port}`, TOCSIN_MAIL_FROM: 'alerts@example.com' };
  const service = await given.startService(given.t, environment);
  const target = await startScriptedServer(given.t);
  target.answer({ status: 503 });
  const { id: groupId } = await service.must('POST', '/v1/check-groups', { name: 'Acme' });
  const request = { method: 'GET', url: target.url };
  await service.must('POST', '/v1/checks/api', { name: 'Cart API', frequency: 1440, groupId, request });
  await service.must('POST', '/v1/checks/api', { name: 'Search', frequency: 1440, request });
  const config = { address: 'ops@example.org' };
  const { id: alertChannelId } = await service.must('POST', '/v1/alert-channels', { type: 'EMAIL', config });
  await until('two incidents', async () => {
    const incidents = (await service.must('GET', '/v1/check-incidents')) as unknown as readonly unknown[];
    return incidents.length === 2;
  });
  const title = 'Acme Ltd';
  const at = new Date().toISOString();
  const sent = await service.must('POST', '/v1/account-report/deliveries', {
    alertChannelId,
    every: 'week',
    at,
    groupId,
    title,
  });
  const { raw } = await until('the report', () => server.mails[0]);
  const mail = readMail(raw);
  assert.match(mail.headers['subject'] ?? '', /^Weekly report for Acme Ltd: .*, 1 incident$/);
  assert.match(mail.text, /^Acme Ltd, group Acme, .*, so far$/m);
  assert.match(mail.text, /\nAll checks:\n- Cart API: [^\n]*\n\nReport: [^\n]*[?&]groupId=\d+&title=Acme\+Ltd/);
  assert.doesNotMatch(mail.text, /Search/);
  const delivery = await until('the log', async () => {
    const found = await service.must('GET', `/v1/deliveries/${String(sent['id'])}`);
    return found['status'] === 'delivered' ? found : undefined;
  });
  assert.deepEqual([delivery['alertChannelId'], delivery['alertType']], [alertChannelId, null]);
});
