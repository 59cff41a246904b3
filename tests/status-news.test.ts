// Messages about changes of status pages, as each kind of channel renders them, with texts that try to break out.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { composeMail } from '#channels/kinds/email/mailer.ts';
import { channelRules } from '#channels/rules.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import { noGateways } from '#domain/deliveries/gateways.ts';
import { type NewsItem, type PageNews, subscribersChannel } from '#domain/deliveries/page-news.ts';
import { writeNews } from '#publish/news/write-news.ts';
import { readMail } from './support/receivers/read-mail.ts';
import { hostileTexts } from './support/receivers/sample-alerts.ts';

const gateways = {
  ...noGateways,
  smtp: { url: 'smtp://mail.example.com', startTls: 'required', from: 'Tocsin <alerts@example.com>' },
} as const;
const facts = { createdAt: 1_795_000_000_000, uuid: 'uuid', randomNumber: 1, userAgent: 'Tocsin/0', timeZone: 'UTC' };
const variables = { DELIVERY_ID: '0193a1d2-5b7e-7c3d-9f00-1a2b3c4d5e6f', IS_REPLAY: false };
const id = (number: number): string => `0193a1d2-0000-7000-8000-00000000000${number}`;
const root = 'https://status.example.com/';

const update: NewsItem = {
  kind: 'update',
  id: id(2),
  name: 'Payments fail',
  severity: 'MAJOR',
  startedAt: Date.parse('2026-11-02T09:58:00Z'),
  resolvedAt: null,
  services: ['Checkout'],
  url: `${root}incidents/${id(2)}.html`,
  update: {
    id: id(3),
    status: 'INVESTIGATING',
    description: 'We are looking into it.',
    at: Date.parse('2026-11-02T10:00:00Z'),
  },
};
const maintenance: NewsItem = {
  kind: 'maintenance',
  event: 'DAY_BEFORE',
  id: id(4),
  name: 'Database',
  description: 'It gets a *new* version.',
  startsAt: Date.parse('2026-03-29T00:30:00Z'),
  endsAt: Date.parse('2026-03-29T02:30:00Z'),
  services: ['Checkout', 'Search'],
  url: root,
};

function newsOf(items: readonly NewsItem[], changes: Partial<PageNews['page']> = {}): PageNews {
  const page = { id: id(1), name: 'Example status', url: root, language: 'en', timeZone: 'UTC', texts: {} } as const;
  const unsubscribeUrl = `${root}unsubscribe/abc`;
  return {
    page: { ...page, ...changes },
    items,
    subscriber: { id: id(5), email: 'reader@example.org', unsubscribeUrl },
  };
}

const channels = {
  subscriber: subscribersChannel('a'),
  mail: { type: 'EMAIL', config: { address: 'ops@example.org', subject: '{{CHECK_NAME}}', body: 'x' } },
  slack: { type: 'SLACK', config: { url: 'https://hooks.slack.com/services/T0/********' } },
  webhook: { type: 'WEBHOOK', config: { url: 'https://hook.example/{{DELIVERY_ID}}', method: 'POST', template: 'x' } },
} as const;

function rendered(name: keyof typeof channels, news: PageNews): Message {
  return channelRules.renderNews(channels[name], { news, variables, written: writeNews(news) }, facts, gateways);
}

async function mailOf(message: Message) {
  const { html } = message.data as { html: string };
  return readMail((await composeMail(message, html, 'b')).toString());
}

test('subscribers get an update and maintenance in the language and the zone of the page', async () => {
  const { headers, text, html } = await mailOf(rendered('subscriber', newsOf([update])));
  assert.equal(headers['to'], 'reader@example.org');
  assert.equal(headers['subject'], '[Example status] Payments fail: Investigating');
  assert.equal(headers['list-unsubscribe'], `<${root}unsubscribe/abc>`);
  assert.equal(headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click');
  assert.equal(
    text.replaceAll('\r\n', '\n').trimEnd(),
    `Payments fail: Investigating
2 Nov 2026, 10:00 UTC
Affects Checkout

We are looking into it.

Details: ${root}incidents/${id(2)}.html

-- 
You receive this email because you subscribed to Example status.
Unsubscribe: ${root}unsubscribe/abc`,
  );
  assert.match(html, /<html lang="en">/);
  const german = newsOf([update, maintenance], {
    language: 'de',
    timeZone: 'Europe/Berlin',
    texts: { 'update.investigating': 'Wir suchen' },
  });
  const other = await mailOf(rendered('subscriber', german));
  assert.equal(other.headers['subject'], '[Example status] 2 Änderungen');
  assert.match(other.html, /<html lang="de">.*It gets a <em>new<\/em> version/s);
  assert.match(other.text, /Payments fail: Wir suchen/);
  // Clocks go forward in between.
  assert.match(other.text, /Database: Wartung beginnt 29\. März 2026[^\n]*01:30/);
  assert.match(other.text, /01:30[^\n]*04:30/);
});

test('a channel of the account gets no footer, and its templates are not used', async () => {
  const { headers, text } = await mailOf(rendered('mail', { ...newsOf([maintenance]), subscriber: null }));
  assert.equal(headers['to'], 'ops@example.org');
  assert.equal(headers['list-unsubscribe'], undefined);
  assert.match(headers['subject'] ?? '', /^\[Example status\] Database: Maintenance starts 29 Mar 2026/);
  assert.ok(!text.includes('Unsubscribe'));
});

test('webhooks get the document that the docs show', () => {
  const { url, method, headers, body } = rendered('webhook', newsOf([update]));
  assert.deepEqual([method, url], ['POST', `https://hook.example/${variables.DELIVERY_ID}`]);
  assert.deepEqual(headers[0], ['content-type', 'application/json']);
  const docs = readFileSync(new URL('../docs/status-pages.md', import.meta.url), 'utf8');
  const shown = /```js\n(\{\n {2}"type": "status-page".*?)```/s.exec(docs)?.[1] ?? '';
  assert.deepEqual(JSON.parse(body), JSON.parse(shown));
  const { changes } = JSON.parse(rendered('webhook', newsOf([maintenance])).body) as { changes: object[] };
  const { url: address, kind: _, ...fields } = maintenance;
  const times = { startsAt: '2026-03-29T00:30:00.000Z', endsAt: '2026-03-29T02:30:00.000Z' };
  assert.deepEqual(changes, [{ type: 'MAINTENANCE', ...fields, ...times, url: address }]);
});

test('a text of more than 2,000 characters is cut in mails, with a link to the rest', async () => {
  for (const [length, isCut] of [
    [2000, false],
    [2001, true],
  ] as const) {
    const long = { ...update, update: { ...update.update, description: 'x'.repeat(length) } };
    const { html } = await mailOf(rendered('subscriber', newsOf([long])));
    assert.ok(html.includes('x'.repeat(2000)) && !html.includes('x'.repeat(2001)));
    assert.equal(html.includes('The text continues on the page.'), isCut);
  }
});

test('hostile texts in any field stay text, and messages stay small', async () => {
  for (const text of hostileTexts) {
    const own = { ...update, name: text, services: [text], update: { ...update.update, description: text } };
    const items = [own, { ...maintenance, name: text, description: text, services: [text, text] }];
    const news = newsOf(items, { name: text, texts: { 'news.reason': text, 'news.unsubscribe': text } });
    for (const name of ['subscriber', 'mail'] as const) {
      const message = rendered(name, news);
      const { headers, html } = await mailOf(message);
      assert.equal(headers['bcc'], undefined);
      assert.ok((headers['subject'] ?? '').length <= 320, headers['subject']);
      assert.ok(!/<(?:script|img|b>)|javascript:|<!channel>/i.test(html), html);
      assert.ok(!html.includes('\u202e'));
      assert.ok(message.body.length + html.length < 150_000, `${message.body.length} ${html.length}`);
    }
    const slack = rendered('slack', news).body;
    const { text: notification } = JSON.parse(slack) as { text: string };
    assert.ok(!/<[!@#]|@everyone/.test(notification), notification);
    assert.ok(!slack.includes('"mrkdwn"'));
    assert.equal((JSON.parse(rendered('webhook', news).body) as { page: { name: string } }).page.name, text);
  }
});

test('channels that show only alerts are refused', () => {
  const refused = (type: string, config = {}): string => channelRules.refusesNews({ type, config }) ?? 'taken';
  for (const { type, config } of Object.values(channels)) assert.equal(refused(type, config), 'taken');
  for (const type of ['PAGERDUTY', 'OPSGENIE', 'SMS', 'CALL']) assert.match(refused(type), /which shows alerts only$/);
  const preset = { url: 'https://x.example', method: 'POST', webhookType: 'WEBHOOK_DISCORD' };
  assert.match(refused('WEBHOOK', preset), /understands alerts only$/);
  assert.match(refused('WEBHOOK', { url: 'https://x.example', method: 'GET' }), /no body$/);
});
