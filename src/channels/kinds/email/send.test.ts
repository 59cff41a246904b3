// Mails go out by SMTP as stored, whatever the server does at each step.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startConnectProxy } from '../../../../tests/support/targets/connect-proxy.ts';
import { createAuthority } from '../../../../tests/support/targets/certificates.ts';
import {
  type SmtpReply,
  type SmtpServer,
  type SmtpServerOptions,
  type SmtpStep,
  startSmtpServer,
} from '../../../../tests/support/receivers/smtp-server.ts';
import { readMail } from '../../../../tests/support/receivers/read-mail.ts';
import { until } from '../../../../tests/support/until.ts';
import { noGateways, type SmtpGateway } from '#domain/deliveries/gateways.ts';
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import { createGuard } from '#egress/guard.ts';
import { createPlaceBoard } from '#egress/closed-places.ts';
import { tunnelThrough } from '#egress/proxy.ts';
import type { ChannelSender, SenderOptions, Sending } from '../../kind.ts';
import { open } from '../../../../tests/support/receivers/http-receivers.ts';
import { createSender } from '../../sender/sender.ts';
import { createEmailSender } from './send.ts';

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing) await close();
});

const authority = createAuthority();
const certificate = authority.issue();
const from = 'Tocsin "Ops" <alerts@example.com>';

async function serve(options: SmtpServerOptions = {}): Promise<SmtpServer> {
  const server = await startSmtpServer(options);
  closing.push(() => server.close());
  return server;
}

function gatewayOf({ port }: SmtpServer, more: Partial<SmtpGateway> = {}, scheme = 'smtp://'): SmtpGateway {
  return { url: `${scheme}localhost:${port}`, startTls: 'if-offered', from, ...more };
}

function senderThrough(smtp: SmtpGateway, more: Partial<SenderOptions> = {}): ChannelSender {
  const sender = createEmailSender({
    guard: open,
    operatorGuard: open,
    gateways: { ...noGateways, smtp },
    extraCertificates: [authority.cert],
    deadlineMs: 5000,
    ...more,
  });
  closing.push(() => sender.close());
  return sender;
}

function mail(deliveryId = 'd-1', more: Partial<Sending> = {}, text = 'größer 🔥\n.dot\n'): Sending {
  return {
    type: 'EMAIL',
    accountId: 'a-1',
    deliveryId,
    createdAt: 1000,
    startedAt: Date.now(),
    attempt: 1,
    replayOf: null,
    secrets: {},
    request: {
      method: 'MAIL',
      url: 'mailto:ops@example.org',
      headers: [
        ['From', from],
        ['To', 'ops@example.org'],
        ['Subject', '[Failing] Cart'],
        ['Date', 'Thu, 01 Jan 1970 00:00:01 +0000'],
        ['Message-ID', `<${deliveryId}@example.com>`],
      ],
      body: text,
      data: { html: `<p>${text}</p>` },
    },
    ...more,
  };
}

test('sends mail of an account through its own server, even if there is no common one', async () => {
  const [common, own] = [await serve(), await serve()];
  const accountSmtp = { 'a-2': gatewayOf(own, { from: 'alerts@example.org' }) };
  const sender = senderThrough(gatewayOf(common), {
    gateways: { ...noGateways, smtp: gatewayOf(common), accountSmtp },
  });
  assert.equal((await sender.send(mail('d-1'))).error, null);
  assert.equal((await sender.send(mail('d-2', { accountId: 'a-2' }))).error, null);
  assert.deepEqual([common.mails.length, own.mails.length], [1, 1]);
  const onlyOwn = senderThrough(gatewayOf(common), { gateways: { ...noGateways, accountSmtp } });
  assert.equal((await onlyOwn.send(mail('d-3', { accountId: 'a-2' }))).error, null);
  assert.match((await onlyOwn.send(mail('d-4'))).error?.message ?? '', /TOCSIN_SMTP_URL/);
});

/** Sends one mail through a server that replies like this. */
async function tryOnce(reply: SmtpServerOptions['reply'], more: SmtpServerOptions = {}, deadlineMs = 5000) {
  const server = await serve({ ...more, ...(reply !== undefined && { reply }) });
  const outcome = await senderThrough(gatewayOf(server), { deadlineMs }).send(mail());
  return { server, outcome, error: outcome.error };
}

/** Always the same reply at a step. */
const at =
  (step: SmtpStep, reply: SmtpReply) =>
  (asked: SmtpStep): SmtpReply | undefined =>
    asked === step ? reply : undefined;

test('sends through the thread with STARTTLS and AUTH, and logs the answer without the password', async () => {
  const server = await serve({
    certificate,
    user: 'tocsin@example.com:pass word/%',
    extensions: ['8BITMIME', 'SMTPUTF8'],
  });
  const url = `smtp://tocsin%40example.com:pass%20word%2F%25@localhost:${server.port}`;
  const sender = createSender({
    egress: { mode: 'public', allow: [] },
    gateways: { ...noGateways, smtp: { url, startTls: 'required', from } },
    extraCertificates: [authority.cert],
  });
  closing.push(() => sender.close());
  const outcome = await sender.send(mail());
  assert.equal(outcome.error, null);
  assert.deepEqual(outcome.response, { status: 250, headers: {}, body: '250 2.0.0 Ok: queued as 1' });
  const [received] = server.mails;
  assert.deepEqual(
    [received?.from, received?.to, received?.isSecure, received?.user],
    ['alerts@example.com', 'ops@example.org', true, 'tocsin@example.com:pass word/%'],
  );
  const isPlain = (line: string): boolean => !line.startsWith('C1 tls:');
  assert.deepEqual(server.dialogue.filter(isPlain), ['C1: EHLO example.com', 'C1: STARTTLS']);
  assert.ok(!JSON.stringify(outcome).includes('pass word'));
});

test('sends nothing but EHLO to a server without the required STARTTLS', async () => {
  const server = await serve({ user: 'u:p' });
  const smtp = gatewayOf(server, { url: `smtp://u:p@localhost:${server.port}`, startTls: 'required' });
  const { error } = await senderThrough(smtp).send(mail());
  assert.deepEqual(error, {
    class: 'tls',
    message: `localhost:${server.port} does not support STARTTLS, which TOCSIN_SMTP_STARTTLS requires`,
  });
  assert.deepEqual(server.dialogue, ['C1: EHLO example.com', 'C1: STARTTLS']);
});

test('a server without TLS for the moment is quoted, and nothing more is sent to it', async () => {
  for (const startTls of ['required', 'if-offered'] as const) {
    const reply = at('starttls', '454 4.7.0 TLS not available due to temporary reason');
    const server = await serve({ certificate, reply });
    const { error, response } = await senderThrough(gatewayOf(server, { startTls })).send(mail());
    assert.deepEqual(error, {
      class: 'status',
      message: `localhost:${server.port} answered STARTTLS with 454 4.7.0 TLS not available due to temporary reason`,
    });
    assert.equal(response?.status, 454);
    assert.deepEqual(server.dialogue, ['C1: EHLO example.com', 'C1: STARTTLS']);
  }
});

test('sends no credentials and no mail to a server with an untrusted certificate', async () => {
  for (const scheme of ['smtp://', 'smtps://']) {
    const isTls = scheme === 'smtps://';
    const server = await serve({ certificate, isTls, user: 'u:p' });
    const smtp = gatewayOf(server, { url: `${scheme}u:p@localhost:${server.port}` });
    const { error } = await senderThrough(smtp, { extraCertificates: [] }).send(mail());
    assert.equal(error?.class, 'tls');
    assert.match(error.message, /^the certificate of localhost is signed by an unknown CA/);
    assert.ok(!server.dialogue.some((line) => /AUTH|MAIL/.test(line)), server.dialogue.join());
    const other = authority.issue({ names: ['mail.example'] });
    const wrongName = await serve({ certificate: other, isTls });
    const named = await senderThrough(gatewayOf(wrongName, {}, scheme)).send(mail());
    assert.match(named.error?.message ?? '', /is for another name: DNS:mail\.example/);
  }
});

test('uses TLS from the start with smtps, and no STARTTLS if it is off', async () => {
  const secure = await serve({ certificate, isTls: true });
  assert.equal((await senderThrough(gatewayOf(secure, {}, 'smtps://')).send(mail())).error, null);
  assert.equal(secure.mails[0]?.isSecure, true);
  const plain = await serve({ certificate });
  assert.equal((await senderThrough(gatewayOf(plain, { startTls: 'off' })).send(mail())).error, null);
  assert.equal(plain.mails[0]?.isSecure, false);
});

test('logs in with LOGIN and retries a rejected password', async () => {
  const server = await serve({ user: 'u:right', extensions: ['AUTH LOGIN'] });
  const right = gatewayOf(server, { url: `smtp://u:right@localhost:${server.port}` });
  assert.equal((await senderThrough(right).send(mail())).error, null);
  assert.equal(server.mails[0]?.user, 'u:right');
  const wrong = gatewayOf(server, { url: `smtp://u:secret-word@localhost:${server.port}` });
  const { error, response } = await senderThrough(wrong).send(mail());
  assert.equal(error?.class, 'status');
  assert.match(error.message, /answered AUTH PLAIN with 535 5\.7\.8 Bad credentials$/);
  assert.equal(response?.status, 535);
});

test('hides the password where a server repeats it', async () => {
  const server = await serve({ user: 'u:p', reply: at('auth', '535 no such password: secret-word') });
  const smtp = gatewayOf(server, { url: `smtp://u:secret-word@localhost:${server.port}` });
  const outcome = await senderThrough(smtp).send(mail());
  assert.equal(outcome.response?.body, '535 no such password: ********');
  assert.ok(!JSON.stringify(outcome).includes('secret-word'));
});

test('refuses to send without AUTH if a user is configured', async () => {
  const server = await serve();
  const smtp = gatewayOf(server, { url: `smtp://u:p@localhost:${server.port}` });
  const { error } = await senderThrough(smtp).send(mail());
  assert.match(error?.message ?? '', /does not offer AUTH/);
  assert.ok(!server.dialogue.some((line) => line.includes('MAIL')));
});

for (const step of ['connect', 'ehlo', 'mail', 'rcpt', 'data', 'body'] as const) {
  test(`retries a temporary failure at ${step} and logs the server's words`, async () => {
    const reply = step === 'ehlo' ? '421 4.3.0 Busy' : '451 4.3.0 Try again';
    const { error, outcome, server } = await tryOnce(at(step, reply));
    assert.equal(error?.class, 'status');
    assert.ok(error.message.includes(reply), error.message);
    assert.deepEqual([outcome.response?.status, outcome.response?.body], [Number(reply.slice(0, 3)), reply]);
    assert.equal(server.mails.length, 0);
  });
}

test('only a rejected recipient is final', async () => {
  const words = '550-5.1.1 No such user\r\n550 5.1.1 here';
  const { error, outcome } = await tryOnce(at('rcpt', words));
  assert.equal(error?.class, 'rejected');
  assert.match(error.message, /^localhost:\d+ rejected ops@example\.org: 550-5\.1\.1 No such user 550 5\.1\.1 here$/);
  assert.equal(outcome.response?.status, 550);
  for (const step of ['connect', 'mail', 'data', 'body'] as const) {
    const { error: other } = await tryOnce(at(step, '554 5.7.1 Refused'));
    assert.equal(other?.class, 'status', step);
  }
});

for (const step of ['connect', 'ehlo', 'starttls', 'auth', 'mail', 'rcpt', 'data', 'body'] as const) {
  test(`reports a connection lost at ${step}, and whether the mail may have arrived`, async () => {
    const server = await serve({ certificate, user: 'u:p', reply: at(step, 'disconnect') });
    const smtp = gatewayOf(server, { url: `smtp://u:p@localhost:${server.port}` });
    const { error } = await senderThrough(smtp).send(mail());
    assert.equal(error?.class, 'reset', error?.message);
    assert.equal(/may receive it twice with the same Message-ID/.test(error?.message ?? ''), step === 'body');
    assert.equal(server.connections.total, 1);
  });

  test(`ends at the deadline if the server hangs at ${step}, and frees its place`, async () => {
    const server = await serve({ certificate, user: 'u:p', reply: at(step, 'hang') });
    const smtp = gatewayOf(server, { url: `smtp://u:p@localhost:${server.port}` });
    const { error } = await senderThrough(smtp, { deadlineMs: 300 }).send(mail());
    assert.equal(error?.class, 'timeout', error?.message);
    assert.equal(/did not confirm the message/.test(error?.message ?? ''), step === 'body');
    await until('the connection to close', () => server.connections.open === 0);
  });
}

test('the same bytes go out on every attempt', async () => {
  const { server } = await tryOnce((step, count) => (step === 'body' && count === 1 ? '451 later' : undefined));
  const sender = senderThrough(gatewayOf(server));
  const one = await sender.send(mail());
  const two = await senderThrough(gatewayOf(server)).send(mail('d-1', { attempt: 2, startedAt: 5 }));
  assert.deepEqual([one.error, two.error], [null, null]);
  assert.equal(server.mails.length, 2);
  assert.equal(server.mails[0]?.raw, server.mails[1]?.raw);
  assert.match(server.mails[0]?.raw ?? '', /^Message-ID: <d-1@example\.com>$/m);
});

test('reuses a session and replaces one that the server has ended or refuses to continue', async () => {
  const server = await serve();
  const sender = senderThrough(gatewayOf(server));
  for (const id of ['d-1', 'd-2', 'd-3']) assert.equal((await sender.send(mail(id))).error, null);
  assert.deepEqual([server.mails.length, server.connections.total], [3, 1]);
  for (const reply of ['451 4.7.0 One message each', '421 4.7.0 Too many', 'disconnect'] as const) {
    const strict = await serve({
      reply: (step, count) => (step === 'mail' && count === 2 ? reply : undefined),
    });
    const through = senderThrough(gatewayOf(strict));
    assert.equal((await through.send(mail('d-1'))).error, null);
    assert.equal((await through.send(mail('d-2'))).error, null, reply);
    assert.deepEqual([strict.mails.length, strict.connections.total], [2, 2]);
  }
});

test('opens few sessions at once, and accounts take turns for them', async () => {
  const server = await serve();
  const sender = senderThrough(gatewayOf(server));
  const ended: string[] = [];
  const send = async (accountId: string, id: string): Promise<SendOutcome> => {
    const outcome = await sender.send(mail(id, { accountId }));
    ended.push(accountId);
    return outcome;
  };
  const loud = Array.from({ length: 60 }, (_, index) => send('loud', `l-${index}`));
  const quiet = send('quiet', 'q-1');
  const outcomes = await Promise.all([...loud, quiet]);
  assert.ok(outcomes.every(({ error }) => error === null));
  assert.ok(server.connections.mostOpen <= 10, String(server.connections.mostOpen));
  assert.ok(ended.indexOf('quiet') < 40, `the other account ended as number ${ended.indexOf('quiet')}`);
});

test('hanging mails of one account leave connections for others', async () => {
  const reply: SmtpServerOptions['reply'] = (step, _, line) =>
    step === 'rcpt' && line.includes('hangs@') ? 'hang' : undefined;
  const sender = senderThrough(gatewayOf(await serve({ reply })), { deadlineMs: 6000 });
  const hanging = { ...mail().request, url: 'mailto:hangs@example.org' };
  const stuck = Array.from({ length: 30 }, (_, index) =>
    sender.send(mail(`l-${index}`, { accountId: 'loud', request: hanging })),
  );
  let freed = 0;
  for (const each of stuck) void each.finally(() => freed++);
  for (const accountId of ['quiet', 'other', 'quiet']) {
    const { error } = await sender.send(mail(`q-${accountId}`, { accountId }));
    assert.deepEqual([error, freed], [null, 0], 'sent while all the others hang');
  }
  const reasons = (await Promise.all(stuck)).map(({ error }) => error?.message.replace(/:\d+/, ''));
  // A busy machine may not even connect in time.
  const isOfMail = (reason: string | undefined) => reason?.startsWith('could not connect') !== true;
  assert.deepEqual(
    [...new Set(reasons.filter(isOfMail))],
    [
      'localhost did not finish the SMTP session within 6 s; it stopped after RCPT TO',
      'no connection to localhost was free within 6 s; other emails used them',
    ],
  );
});

test('closing interrupts attempts in progress and closes idle sessions', async () => {
  const server = await serve({ reply: (step, count) => (step === 'body' && count === 2 ? 'hang' : undefined) });
  const sender = senderThrough(gatewayOf(server));
  await sender.send(mail('d-1'));
  const hanging = sender.send(mail('d-2'));
  const waiting = sender.send(mail('d-3'));
  await until('both to be accepted or to hang', () => server.mails.length === 2);
  await waiting;
  await sender.close();
  assert.equal((await hanging).error?.class, 'interrupted');
  await until('no connection to be left', () => server.connections.open === 0);
});

test('sends no password to another machine if its server does not offer STARTTLS', async (t) => {
  const server = await serve({ user: 'u:p' });
  const proxy = await startConnectProxy(t, server.port);
  const tunnel = tunnelThrough({ host: '127.0.0.1', port: Number(proxy.host.split(':')[1]), authorization: null });
  const smtp = gatewayOf(server, { url: `smtp://u:p@mail.nowhere.test:${server.port}`, startTls: 'if-offered' });
  const { error } = await senderThrough(smtp, { operatorGuard: { ...open, tunnel } }).send(mail());
  assert.equal(error?.class, 'tls');
  assert.match(error.message, /does not offer STARTTLS, and if-offered sends no password without it$/);
  assert.ok(!server.dialogue.some((line) => /AUTH|MAIL/.test(line)), server.dialogue.join());
  assert.equal(
    (await senderThrough({ ...smtp, startTls: 'off' }, { operatorGuard: { ...open, tunnel } }).send(mail())).error,
    null,
  );
});

test('connects through the proxy, and never to places of Tocsin', async (t) => {
  const server = await serve();
  const proxy = await startConnectProxy(t, server.port);
  const tunnel = tunnelThrough({ host: '127.0.0.1', port: Number(proxy.host.split(':')[1]), authorization: null });
  const smtp = gatewayOf(server, { url: `smtp://mail.nowhere.test:${server.port}`, startTls: 'off' });
  assert.equal((await senderThrough(smtp, { operatorGuard: { ...open, tunnel } }).send(mail())).error, null);
  const closed = createPlaceBoard([{ host: '127.0.0.1', port: server.port, owner: 'database' }]);
  const near = gatewayOf(server, { url: `smtp://127.0.0.1:${server.port}` });
  const operatorGuard = createGuard({ mode: 'any', allow: [], closed });
  const refused = await senderThrough(near, { operatorGuard }).send(mail());
  assert.equal(refused.error?.class, 'egress-refused');
  assert.match(refused.error.message, /^127\.0\.0\.1:\d+ is Tocsin's own database/);
  assert.equal(server.connections.total, 1);
});

test('describes a server that cannot be reached or does not speak SMTP', async () => {
  const gone = await startSmtpServer();
  await gone.close();
  const { error } = await senderThrough(gatewayOf(gone)).send(mail());
  assert.match(error?.message ?? '', /^connection refused by 127\.0\.0\.1:\d+/);
  const { error: greeting } = await tryOnce(at('connect', 'HTTP/1.1 400 Bad Request'));
  assert.match(greeting?.message ?? '', /sent an invalid response: HTTP\/1\.1 400 Bad Request/);
  const tls = await serve({ certificate, isTls: true });
  const { error: mixed } = await senderThrough(gatewayOf(tls), { deadlineMs: 500 }).send(mail());
  assert.equal(mixed?.class, 'timeout');
  const plain = await serve();
  const { error: other } = await senderThrough(gatewayOf(plain, {}, 'smtps://'), { deadlineMs: 3000 }).send(mail());
  assert.match(
    other?.message ?? '',
    /the TLS handshake with .* failed: the server did not answer in TLS; smtp:\/\/ uses STARTTLS/,
  );
});

test('a mail with dots, long lines and any characters arrives unchanged', async () => {
  const text = `.\n..\n.leading\n${'x'.repeat(3000)}\nÄ🔥\u2028end\ttab \nlast`;
  const server = await serve();
  assert.equal((await senderThrough(gatewayOf(server)).send(mail('d-1', {}, text))).error, null);
  const raw = server.mails[0]?.raw ?? '';
  assert.ok(raw.split('\r\n').every((line) => line.length <= 998 && !/[\r\n]/.test(line)));
  assert.ok(/^[\x20-\x7e\r\n\t]*$/.test(raw), 'only ASCII goes over the wire');
  const { headers, text: received, html } = readMail(raw);
  assert.equal(received, text);
  assert.equal(html, `<p>${text}</p>`);
  assert.equal(headers['from'], '"Tocsin \\"Ops\\"" <alerts@example.com>');
});
