// A reader subscribes to a status page by email, confirms, and unsubscribes as a mail program does.
import assert from 'node:assert/strict';
import { readMail } from '../support/receivers/read-mail.ts';
import { startSmtpServer } from '../support/receivers/smtp-server.ts';
import { test } from '../support/service/two-processes.ts';
import { until } from '../support/until.ts';

const busyMachine = { withinMs: 60_000 };

test('a reader gets one mail in the language of the page, and is subscribed once its button is pressed', async ({
  t,
  startService,
}) => {
  // The server is busy at first.
  const server = await startSmtpServer({
    reply: (step, count) => (step === 'body' && count === 1 ? '451 4.7.1 Greylisted' : undefined),
  });
  t.after(() => server.close());
  const service = await startService(t, {
    TOCSIN_SMTP_URL: `smtp://localhost:${server.port}`,
    TOCSIN_MAIL_FROM: 'Tocsin <status@example.com>',
  });
  const hostile = 'Shop\r\nBcc: other@example.com <script>alert(1)</script> \u202eevil';
  const page = await service.must('POST', '/v1/status-pages', { name: hostile, url: 'example', language: 'de' });
  const path = `/v1/status-pages/${String(page['id'])}/subscriptions`;
  const root = `${service.address}/status/example/`;
  const visible = async () => (await (await fetch(root)).text()).includes('action="subscribe"');
  await until('a form', visible, busyMachine);
  const subscribe = (address: string) =>
    fetch(`${root}subscribe`, { method: 'POST', body: new URLSearchParams({ address }) });
  const answer = await subscribe('Reader@Example.com');
  assert.equal(answer.status, 202);
  assert.match(await answer.text(), /Prüfen Sie Ihr Postfach/);
  const [pending] = (await service.must('GET', path))['entries'] as { address: string; status: string }[];
  assert.deepEqual([pending?.address, pending?.status], ['reader@example.com', 'PENDING']);
  await until('the first attempt', () => server.dialogue.some((line) => line.includes('DATA')), busyMachine);
  // Asking again does not wait for the next attempt.
  await subscribe('reader@example.com');
  const mail = readMail((await until('the mail', () => server.mails[0], busyMachine)).raw);
  assert.equal(mail.headers['to'], 'reader@example.com');
  assert.equal(mail.headers['bcc'], undefined);
  assert.equal(mail.headers['auto-submitted'], 'auto-generated');
  assert.match(mail.headers['subject'] ?? '', /^.?Bestätigen Sie Ihr Abonnement von Shop/);
  assert.match(mail.html, /<html lang="de">/);
  assert.doesNotMatch(mail.html, /<script/);
  const link = /https?:\S+\/confirm\/[\w-]+/.exec(mail.text)?.[0] ?? '';
  assert.ok(mail.html.includes(link) && link.startsWith(root), link);
  assert.match(await (await fetch(link)).text(), /<button>Bestätigen</);
  assert.equal(((await service.must('GET', path))['entries'] as { status: string }[])[0]?.status, 'PENDING');
  assert.match(await (await fetch(link, { method: 'POST' })).text(), /Sie sind angemeldet/);
  const [verified] = (await service.must('GET', path))['entries'] as { status: string; id: string }[];
  assert.equal(verified?.status, 'VERIFIED');
  const json = { 'content-type': 'application/json', accept: 'application/json' };
  const send = (body: string) => fetch(`${root}subscribe`, { method: 'POST', headers: json, body });
  const known = await send('{"address": "reader@example.com", "services": []}');
  assert.deepEqual([known.status, await known.json()], [202, { status: 'sent' }]);
  for (const body of ['{', '[]', '{"address": 1}', `{"address": "${'x'.repeat(17_000)}"}`])
    assert.equal((await send(body)).status, 400, body.slice(0, 20));
  const { created } = await service.must('POST', `${path}/bulk`, { subscriptions: [{ address: 'two@example.com' }] });
  assert.equal(created, 1);
  const second = await until(
    'the mail to the second',
    () => server.mails.find(({ to }) => to === 'two@example.com'),
    busyMachine,
  );
  assert.match(readMail(second.raw).text, /24 Stunden/);
  assert.equal(server.mails.filter(({ to }) => to === 'reader@example.com').length, 1);
});
