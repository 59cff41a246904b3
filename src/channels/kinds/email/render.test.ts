// Rendered mails: default and custom templates, threads, and values that try to break out.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readMail } from '../../../../tests/support/receivers/read-mail.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import { noGateways } from '#domain/deliveries/gateways.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import {
  digestCases,
  digestOf,
  hostileTexts,
  reportCases,
  reportOf,
} from '../../../../tests/support/receivers/sample-alerts.ts';
import { emailKind } from './email-kind.ts';
import { composeMail } from './mailer.ts';
import type { MailData } from './render.ts';
import { emailConfig } from './schema.ts';

const gateways = {
  ...noGateways,
  smtp: { url: 'smtp://mail.example.com', startTls: 'required', from: 'Tocsin <alerts@example.com>' },
} as const;
const incident = '0198c0de-0000-7000-8000-000000000001';
const deliveryId = '0198c0de-0000-7000-8000-00000000000d';
const facts = {
  createdAt: 1_795_000_000_000,
  uuid: 'uuid',
  randomNumber: 1,
  userAgent: 'Tocsin/0',
  timeZone: 'Europe/Berlin',
  channelId: 7,
};

const failure: TemplateVariables = {
  ALERT_TITLE: 'Cart API has failed',
  ALERT_TYPE: 'ALERT_FAILURE',
  CHECK_NAME: 'Cart API',
  CHECK_TYPE: 'API',
  CHECK_URL: 'https://shop.example/cart',
  CHECK_RUNBOOK_URL: 'https://wiki.example/cart?a=b&c=d',
  CHECK_NOTES: 'Restart the cache first.\nThen call the bank.',
  CHECK_ERROR_MESSAGE: 'expected a status below 400, got 503 Service Unavailable',
  RESPONSE_TIME: 183,
  API_CHECK_RESPONSE_STATUS_CODE: 503,
  API_CHECK_RESPONSE_STATUS_TEXT: 'Service Unavailable',
  RUN_LOCATION: 'Frankfurt',
  RESULT_LINK: 'https://tocsin.example/results/1?a=b&c=d',
  ACK_LINK: 'https://tocsin.example/acknowledge/abc',
  STARTED_AT: '2026-11-18T11:06:40.000Z',
  TAGS: ['shop', 'env:production'],
  GROUP_NAME: 'Shop',
  IS_REMINDER: false,
  DELIVERY_ID: deliveryId,
  IS_REPLAY: false,
  INCIDENT_ID: incident,
  INCIDENT_STARTED_AT: '2026-11-18T11:06:40.000Z',
  INCIDENT_DURATION: 0,
  IS_FIRST_OF_INCIDENT: true,
};
const reminder = { ...failure, IS_REMINDER: true, REMINDER_SEQUENCE: 2, IS_FIRST_OF_INCIDENT: false };
const recovery: TemplateVariables = {
  ...failure,
  ALERT_TITLE: 'Cart API has recovered',
  ALERT_TYPE: 'ALERT_RECOVERY',
  CHECK_ERROR_MESSAGE: undefined,
  API_CHECK_RESPONSE_STATUS_CODE: 200,
  API_CHECK_RESPONSE_STATUS_TEXT: 'OK',
  IS_FIRST_OF_INCIDENT: false,
  INCIDENT_DURATION: 7520,
};
const degraded = {
  ...failure,
  ALERT_TITLE: 'Cart API is degraded',
  ALERT_TYPE: 'ALERT_DEGRADED',
  CHECK_ERROR_MESSAGE: 'answered after 3210 ms; more than 3000 ms is degraded',
};
const certificate: TemplateVariables = {
  ...recovery,
  ALERT_TITLE: 'Cart API: the certificate of shop.example expires in 12 days',
  ALERT_TYPE: 'ALERT_SSL',
  SSL_DAYS_REMAINING: 12,
  SSL_CHECK_DOMAIN: 'shop.example',
  INCIDENT_ID: undefined,
};
const hostileName =
  '"><script>alert(1)</script>\r\nBcc: victim@example.org\r\n\r\nbody 🔥 \u202egnp.exe \u2069 {{CHECK_ID}} \ud800';
const hostile: TemplateVariables = {
  ...failure,
  ALERT_TITLE: `${hostileName} has failed`,
  CHECK_NAME: hostileName,
  CHECK_ERROR_MESSAGE: `.\r\n.\r\nsubject: x\r\n<img src="https://evil.example/x.png" onerror=alert(1)>\u0000${'ä'.repeat(5000)}`,
  TAGS: ['</td></table>', 'a\r\nCc: c@example.org', '\u202b'],
  GROUP_NAME: "' onclick='alert(1)",
  RESULT_LINK: 'javascript:alert(1)',
  ACK_LINK: 'https://tocsin.example/"><script>',
  DELIVERY_ID: 'x>\r\nBcc: v@example.org',
  INCIDENT_ID: 'y>\r\nBcc: v@example.org',
};

const config = (more: object = {}) => emailConfig.parse({ address: 'ops@example.org', ...more });
const render = (variables: TemplateVariables, more: object = {}, given: object = {}): Message =>
  emailKind.render(config(more), variables, { ...facts, ...given }, gateways);
const headerOf = ({ headers }: Message, name: string): string | undefined =>
  headers.find(([each]) => each === name)?.[1];
const htmlOf = ({ data }: Message): string => (data as MailData).html;
const received = async (message: Message) =>
  readMail((await composeMail(message, htmlOf(message), deliveryId)).toString('latin1'));

const goldens = join(import.meta.dirname, '../../../../tests/golden/email');
/** Compares with a file that is written if it does not exist. */
function assertGolden(name: string, text: string): void {
  const file = join(goldens, name);
  if (!existsSync(file)) {
    mkdirSync(goldens, { recursive: true });
    writeFileSync(file, text);
    assert.fail(`${name} was written: check it and run the test again`);
  }
  assert.equal(text, readFileSync(file, 'utf8'));
}

const mails = { failure, reminder, recovery, degraded, certificate, hostile };
for (const [name, variables] of Object.entries(mails)) {
  test(`the ${name} mail matches its golden file`, async () => {
    const message = render(variables);
    const { headers, text, html } = await received(message);
    assertGolden(`${name}.txt`, `Subject: ${headers['subject']}\n\n${text}`);
    assertGolden(`${name}.html`, html);
    assert.equal(text, message.body);
    assert.equal(html, htmlOf(message));
  });
}

const digestNames: Readonly<Record<string, string>> = {
  digest: 'digest',
  'digest of recoveries': 'digest-of-recoveries',
  'replayed digest': 'replayed-digest',
};
for (const [name, message] of Object.entries(digestCases)) {
  test(`the ${name} mail matches its golden file`, async () => {
    const { headers, text, html } = await received(emailKind.renderDigest(config(), message, facts, gateways));
    assertGolden(`${digestNames[name]}.txt`, `Subject: ${headers['subject']}\n\n${text}`);
    assertGolden(`${digestNames[name]}.html`, html);
    assert.equal(headers['in-reply-to'], undefined);
  });
}

for (const [name, message] of Object.entries(reportCases)) {
  test(`the ${name} mail matches its golden file`, async () => {
    const { headers, text, html } = await received(emailKind.renderReport(config(), message, facts, gateways));
    assertGolden(`${name}.txt`, `Subject: ${headers['subject']}\n\n${text}`);
    assertGolden(`${name}.html`, html);
  });
}

test('a digest of many hostile names is bounded and cannot add headers, parts, markup or remote content', async () => {
  for (const name of [...hostileTexts, hostileName]) {
    const message = digestOf(Array<string>(100).fill(name), 5000);
    const rendered = emailKind.renderDigest(config(), message, facts, gateways);
    const { headers, html, text } = await received(rendered);
    const names = 'from to subject date message-id auto-submitted x-auto-response-suppress content-type mime-version';
    assert.deepEqual(Object.keys(headers).toSorted(), names.split(' ').toSorted());
    assert.match(headers['subject'] ?? '', /^\[Failing\] .* and 4997 more$/);
    assert.match(text, /\nand 4900 more\n\nView overview: /);
    assert.ok(!/<(?:script|img|b)\b/i.test(html));
    assert.ok(rendered.body.length + htmlOf(rendered).length < 400_000);
  }
});

test('a report that lists hostile names is bounded and cannot add headers, parts, markup or remote content', async () => {
  for (const name of [...hostileTexts, hostileName]) {
    const rendered = emailKind.renderReport(config(), reportOf(Array<string>(10).fill(name)), facts, gateways);
    const { headers, html } = await received(rendered);
    const names = 'from to subject date message-id auto-submitted x-auto-response-suppress content-type mime-version';
    assert.deepEqual(Object.keys(headers).toSorted(), names.split(' ').toSorted());
    assert.equal(headers['subject'], 'Weekly report: 99.95% uptime, 2 incidents');
    assert.ok(!/<(?:script|img|b)\b/i.test(html));
    assert.ok(rendered.body.length + htmlOf(rendered).length < 100_000);
  }
});

test('subjects say what happened', () => {
  const subjects = Object.values({ ...mails, hostile: { ...failure, ALERT_TITLE: '[TEST] Cart API has failed' } }).map(
    (variables) => headerOf(render(variables), 'Subject'),
  );
  assert.deepEqual(subjects, [
    '[Failing] Cart API',
    '[Reminder 2] Cart API',
    '[Recovered] Cart API',
    '[Degraded] Cart API',
    '[Certificate] Cart API: the certificate of shop.example expires in 12 days',
    '[Test] Cart API',
  ]);
});

test('a mail that is sent again says so', async () => {
  const message = render({ ...failure, IS_REPLAY: true, REPLAY_OF: deliveryId });
  const { headers, text, html } = await received(message);
  assert.equal(headers['subject'], '[Failing] Cart API (replayed)');
  for (const part of [text, html]) {
    assert.match(part, /Cart API has failed \(replayed\)/);
    assert.match(part, /This message was sent again\. The state may have changed since\./);
  }
});

test('the first mail of an incident names its thread, which later ones continue', () => {
  const first = render(failure);
  const thread = `<${incident}.7@example.com>`;
  assert.equal(headerOf(first, 'Message-ID'), thread);
  assert.equal(headerOf(first, 'In-Reply-To'), undefined);
  for (const variables of [reminder, recovery, { ...failure, IS_REPLAY: true }]) {
    const later = render(variables);
    assert.equal(headerOf(later, 'Message-ID'), `<${deliveryId}@example.com>`);
    assert.equal(headerOf(later, 'In-Reply-To'), thread);
    assert.equal(headerOf(later, 'References'), thread);
  }
  assert.equal(headerOf(render(failure, {}, { channelId: 8 }), 'Message-ID'), `<${incident}.8@example.com>`);
  assert.equal(headerOf(render(certificate), 'In-Reply-To'), undefined);
  const { INCIDENT_ID: _, ...older } = failure;
  assert.equal(headerOf(render(older), 'Message-ID'), `<${deliveryId}@example.com>`);
});

test('every mail is marked as automatic and dated by its delivery', async () => {
  const { headers } = await received(render(failure));
  assert.deepEqual(
    [headers['auto-submitted'], headers['x-auto-response-suppress'], headers['date'], headers['mime-version']],
    ['auto-generated', 'All', 'Wed, 18 Nov 2026 11:06:40 +0000', '1.0'],
  );
  assert.deepEqual([headers['from'], headers['to']], ['Tocsin <alerts@example.com>', 'ops@example.org']);
});

test('values cannot add headers, parts, markup or remote content', async () => {
  const own = { subject: '{{CHECK_NAME}}\r\nX-Evil: 1{{TAGS}}', body: '{{CHECK_NAME}}<b>{{CHECK_ERROR_MESSAGE}}' };
  for (const more of [{}, own]) {
    const { headers, text, html } = await received(render(hostile, more));
    const names = 'from to subject date message-id auto-submitted x-auto-response-suppress content-type mime-version';
    assert.deepEqual(Object.keys(headers).toSorted(), names.split(' ').toSorted());
    assert.match(headers['message-id'] ?? '', /^<uuid@example\.com>$/);
    assert.ok(!/<(?:script|img|b)\b/i.test(html));
    const attributes = [...html.matchAll(/<[a-z0-9]+([^>]*)>/g)].map(([, inside = '']) => inside);
    assert.ok(!attributes.some((inside) => /onerror|onclick|javascript:|src=/.test(inside)));
    // Marks that reorder text are removed by default; a template's output is isolated as a whole.
    if (more !== own) assert.doesNotMatch(`${headers['subject']}${text}`, /[\u202a-\u202e]/);
    else assert.match(headers['subject'] ?? '', /\u2068[^\u2066-\u2069]*\u202e[^\u2066-\u2069]*\u2069/);
  }
});

test('a name written from right to left does not reorder what follows it', async () => {
  const { headers, text } = await received(render({ ...failure, CHECK_NAME: 'עגלה', ALERT_TITLE: 'עגלה has failed' }));
  assert.equal(headers['subject'], '[Failing] \u2068עגלה\u2069');
  assert.match(text, /^\u2068עגלה\u2069 has failed\n/);
});

test('custom templates insert values unchanged in the text and escaped in the HTML', async () => {
  const variables = { ...failure, CHECK_NAME: "Cart & Co's <API>" };
  const more = {
    subject: '{{CHECK_NAME}} at {{moment STARTED_AT "HH:mm"}}',
    body: '{{CHECK_NAME}}\n\n{{uppercase RUN_LOCATION}}',
  };
  const { headers, text, html } = await received(render(variables, more));
  assert.equal(headers['subject'], "Cart & Co's <API> at 11:06");
  assert.equal(text, "Cart & Co's <API>\n\nFRANKFURT");
  assert.match(html, /<bdi>Cart &amp; Co&#x27;s &lt;API&gt;<\/bdi><br>\n<br>\n<bdi>FRANKFURT<\/bdi>/);
});

test('names that look like encoded words are shown to the letter', async () => {
  for (const name of [
    '=?utf-8?q?All_is_well?=',
    'x =?UTF-8?B?QWxsIGlzIHdlbGw=?= y',
    `=?utf-8?q?${'=41'.repeat(60)}?=`,
    '=?',
  ]) {
    const rendered = render({ ...failure, CHECK_NAME: name, ALERT_TITLE: `${name} has failed` });
    const from = ['From', `${name} <alerts@example.com>`] as const;
    const { headers } = await received({
      ...rendered,
      headers: rendered.headers.map((header) => (header[0] === 'From' ? from : header)),
    });
    assert.deepEqual([headers['subject'], headers['from']], [`[Failing] ${name}`, `${name} <alerts@example.com>`]);
  }
});

test('a long subject is truncated', () => {
  assert.equal(headerOf(render(failure, { subject: 'x'.repeat(999) }), 'Subject')?.length, 300);
});

test('a channel cannot be saved or rendered without a mail server', () => {
  assert.match(emailKind.missing(noGateways) ?? '', /TOCSIN_SMTP_URL and TOCSIN_MAIL_FROM/);
  assert.equal(emailKind.missing(gateways), null);
  assert.throws(() => emailKind.render(config(), failure, facts, noGateways), /TOCSIN_SMTP_URL/);
});

test('an invalid address names its field', () => {
  const read = emailConfig.safeParse({ address: 'a@example.com,b@example.com' });
  assert.deepEqual(
    read.error?.issues.map(({ path, message }) => [path, message]),
    [[['address'], 'must be one address; create a channel for each']],
  );
});

test('an invitation says until when it works, in the zone of the account and by the name that applies then', () => {
  const invitation = {
    id: deliveryId,
    address: 'ada@example.com',
    accountName: 'Shop',
    role: 'admin',
    url: 'https://x',
  };
  for (const [expiresAt, shown] of [
    ['2026-10-25T00:59:59Z', '2026-10-25 02:59 CEST'],
    ['2026-10-25T01:00:00Z', '2026-10-25 02:00 CET'],
  ] as const) {
    const sent = { ...invitation, expiresAt: Date.parse(expiresAt), timeZone: facts.timeZone };
    const { body, data } = emailKind.renderInvitation(sent, facts, gateways.smtp);
    for (const text of [body, (data as MailData).html]) assert.ok(text.includes(`until ${shown}.`), text);
  }
});

test('a certificate that has expired says so in words', async () => {
  const { text } = await received(render({ ...certificate, SSL_DAYS_REMAINING: -332 }));
  assert.match(text, /Expired:?\s+332 days ago/);
  assert.doesNotMatch(text, /-332/);
});
