// Alerts by email through the real service: failure, reminder, recovery, test message, replay, and a rejected address.
import assert from 'node:assert/strict';
import { test } from '../support/service/one-process.ts';
import { createAuthority } from '../support/targets/certificates.ts';
import { readMail } from '../support/receivers/read-mail.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { startWithClock } from '../support/service/service-clock.ts';
import { startSmtpServer } from '../support/receivers/smtp-server.ts';
import { until } from '../support/until.ts';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly error?: string;
  readonly attempts: readonly {
    readonly request: { readonly method: string; readonly url: string; readonly headers: Record<string, string> };
    readonly response?: { readonly status: number; readonly body: string };
    readonly error?: { readonly class: string; readonly message: string };
  }[];
}

test('a check sends mails in one thread, with the password in no log', async (given) => {
  const { t } = given;
  const authority = createAuthority();
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-email-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, authority.cert);
  const server = await startSmtpServer({
    certificate: authority.issue(),
    user: 'tocsin:open-sesame',
    reply: (step, count, line) => {
      if (step === 'rcpt' && line.includes('gone@')) return '550 5.1.1 No such user';
      return step === 'body' && count === 1 ? '451 4.7.1 Greylisted' : undefined;
    },
  });
  t.after(() => server.close());
  const environment = {
    TOCSIN_SMTP_URL: `smtp://tocsin:open-sesame@localhost:${server.port}`,
    TOCSIN_SMTP_STARTTLS: 'required',
    TOCSIN_MAIL_FROM: 'Tocsin <alerts@example.com>',
    TOCSIN_CA_FILE: caFile,
  };
  const { on: service, advance } = await startWithClock(given, { environment });
  const target = await startScriptedServer(t);
  target.answer({ status: 503 });
  const make = (address: string, autoSubscribe: boolean) =>
    service.must('POST', '/v1/alert-channels', { type: 'EMAIL', config: { address }, autoSubscribe });
  const refused = await service.api('POST', '/v1/alert-channels', {
    type: 'EMAIL',
    config: { address: 'a@example.org, b@example.org' },
  });
  assert.equal(refused.status, 400);
  assert.match(JSON.stringify(refused.body), /config\.address.*one address; create a channel for each/);
  await make('ops@bücher.example', true);
  await service.must('PUT', '/v1/accounts/me', { timeZone: 'Asia/Tokyo' });
  const { id: check } = await service.must('POST', '/v1/checks/api', {
    name: 'Cart & Co\r\nBcc: x@example.org',
    frequency: 1440,
    request: { method: 'GET', url: target.url },
    useGlobalAlertSettings: false,
    alertSettings: { reminders: { amount: 1, interval: 5 } },
  });
  const runUntil = (count: number): Promise<unknown> =>
    until(`mail ${count}`, async () => {
      await service.must('POST', `/v1/triggers/checks/${String(check)}`);
      return server.mails.length >= count;
    });
  const deliveries = async () => (await service.must('GET', '/v1/deliveries')) as unknown as readonly Shown[];
  await service.must('POST', `/v1/triggers/checks/${String(check)}`);
  const [first] = await until('the greylisted attempt', async () => {
    const found = await deliveries();
    return found[0]?.attempts.length === 1 && found;
  });
  await service.must('POST', `/v1/deliveries/${first?.id}/retry`);
  await until('the first mail', () => server.mails.length === 1);
  await advance(6 * 60_000);
  await runUntil(2);
  target.answer({ status: 200 });
  await runUntil(3);

  const read = server.mails.map(({ raw }) => readMail(raw));
  const subject = 'Cart & Co Bcc: x@example.org';
  assert.deepEqual(
    read.map(({ headers }) => headers['subject']),
    [`[Failing] ${subject}`, `[Reminder 1] ${subject}`, `[Recovered] ${subject}`],
  );
  assert.ok(
    server.mails.every(({ to, from, isSecure, user }) => {
      return (
        to === 'ops@xn--bcher-kva.example' && from === 'alerts@example.com' && isSecure && user === 'tocsin:open-sesame'
      );
    }),
  );
  const ids = read.map(({ headers }) => headers['message-id']);
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual(
    read.map(({ headers }) => [headers['in-reply-to'], headers['references']]),
    [
      [undefined, undefined],
      [ids[0], ids[0]],
      [ids[0], ids[0]],
    ],
  );
  assert.match(read[0]?.text ?? '', /expected a status below 400, got 503/);
  for (const { text } of read) assert.match(text, /^Checked: +[-\d]+ [:\d]+ UTC\+9$/m, 'in the zone of the account');

  const delivered = (await service.must('GET', `/v1/deliveries/${first?.id}`)) as unknown as Shown;
  assert.deepEqual(
    delivered.attempts.map(({ response, error }) => [response?.status, response?.body.slice(0, 14), error?.class]),
    [
      [451, '451 4.7.1 Grey', 'status'],
      [250, '250 2.0.0 Ok: ', undefined],
    ],
  );
  assert.equal(delivered.attempts[1]?.request.headers['Message-ID'], ids[0]);

  await service.must('POST', `/v1/deliveries/${first?.id}/replay`);
  await until('the replay', () => server.mails.length === 4);
  const replayed = readMail(server.mails[3]?.raw ?? '').headers;
  assert.notEqual(replayed['message-id'], ids[0]);
  assert.equal(replayed['in-reply-to'], ids[0]);

  const gone = await make('gone@example.org', false);
  const tried = await service.must('POST', `/v1/alert-channels/${String(gone['id'])}/test`, {
    alertType: 'ALERT_FAILURE',
  });
  assert.match(JSON.stringify(tried), /rejected gone@example\.org: 550 5\.1\.1 No such user/);
  const [rejected] = await deliveries();
  assert.deepEqual([rejected?.status, rejected?.attempts[0]?.error?.class], ['failed', 'rejected']);
  assert.ok(!JSON.stringify([service.stored(), await deliveries()]).includes('open-sesame'));
  assert.ok(!service.printed.includes('open-sesame'));
});
