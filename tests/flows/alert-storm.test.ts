// An alert storm through the real service: people get single mails up to the threshold, then digests; a webhook gets
// every alert.
import assert from 'node:assert/strict';
import { test } from '../support/service/one-process.ts';
import { readMail } from '../support/receivers/read-mail.ts';
import { startScriptedServer } from '../support/targets/scripted-server.ts';
import { startWithClock } from '../support/service/service-clock.ts';
import { startSmtpServer } from '../support/receivers/smtp-server.ts';
import { until } from '../support/until.ts';

interface Shown {
  readonly id: string;
  readonly checkId: string | null;
  readonly status: string;
  readonly digestId?: string;
  readonly digestStatus?: string;
  readonly isDigest?: true;
}

test('25 checks that fail at once send 20 mails and a grouped one, and recover in few', async (given) => {
  const { t } = given;
  const server = await startSmtpServer();
  t.after(() => server.close());
  const environment = {
    TOCSIN_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    TOCSIN_SMTP_STARTTLS: 'off',
    TOCSIN_MAIL_FROM: 'Tocsin <alerts@example.com>',
  };
  const { on: service, advance } = await startWithClock(given, { environment });
  const [target, receiver] = [await startScriptedServer(t), await startScriptedServer(t)];
  target.answer({ status: 503 });
  const { id: group } = await service.must('POST', '/v1/check-groups', { name: 'Shop', concurrency: 25 });
  for (const [type, config] of [
    ['EMAIL', { address: 'ops@example.org' }],
    ['WEBHOOK', { name: 'Pager', url: receiver.url, method: 'POST' }],
  ] as const) {
    await service.must('POST', '/v1/alert-channels', {
      type,
      config,
      subscriptions: [{ groupId: group, activated: true }],
    });
  }
  for (let number = 0; number < 25; number++) {
    await service.must('POST', '/v1/checks/api', {
      name: `Check ${number}`,
      groupId: group,
      frequency: 1440,
      request: { method: 'GET', url: target.url },
    });
  }
  const trigger = () => service.must('POST', `/v1/triggers/check-groups/${String(group)}`);
  const deliveries = async (query: string) =>
    (await service.must('GET', `/v1/deliveries?limit=100&${query}`)) as unknown as readonly Shown[];
  const mails = () => server.mails.map(({ raw }) => readMail(raw));

  await until('every failure', async () => {
    const hits = receiver.all.length;
    if (hits < 25) await trigger();
    return hits === 25;
  });
  await until('the single mails', () => server.mails.length === 20);
  const [digest = assert.fail('a digest collects')] = await deliveries('status=collecting');
  assert.equal(digest.isDigest, true);
  const members = await deliveries(`digestId=${digest.id}`);
  assert.equal(members.length, 5);
  assert.ok(members.every(({ status, digestStatus }) => status === 'digested' && digestStatus === 'collecting'));
  await advance(46_000);
  await until('the digest', () => server.mails.length === 21);
  const first = mails()[20];
  assert.match(
    first?.headers['subject'] ?? '',
    /^\[Failing\] Check \d+, Check \d+, Check \d+ and 2 more; 20 still failing$/,
  );
  assert.equal(first?.text.match(/^- Check \d+/gm)?.length, 25);
  assert.match(first?.text ?? '', /^ {2}View check: http.*\/checks\/.*\n {2}View result: .*\n {2}Acknowledge: /m);
  assert.match(first?.text ?? '', /expected a status below 400, got 503/);
  await until('its delivery', async () => (await deliveries(`digestId=${digest.id}`))[0]?.digestStatus === 'delivered');

  target.answer({ status: 200 });
  await trigger();
  await until('every recovery', () => receiver.all.length === 50);
  await advance(360_000);
  // How many of them are single depends on their order and on whether the storm was over.
  const later = () => mails().slice(21);
  const recovered = () =>
    new Set(later().flatMap(({ text, headers }) => `${headers['subject']}\n${text}`.match(/Check \d+/g) ?? []));
  await until('the recovery of every check', () => recovered().size === 25);
  assert.ok(later().every(({ headers }) => headers['subject']?.startsWith('[Recovered] ')));
  assert.ok(later().length <= 21, `${later().length} mails`);
  await until('no storm', async () => (await deliveries('status=collecting')).length === 0);

  target.answer({ status: 503 });
  const [{ checkId } = assert.fail('it was digested')] = members;
  await service.must('POST', `/v1/triggers/checks/${String(checkId)}`);
  await until('the next failure', () => mails().at(-1)?.headers['subject']?.startsWith('[Failing]') === true);
  assert.match(mails().at(-1)?.headers['subject'] ?? '', /^\[Failing\] Check \d+$/);
});
