// Presets render valid messages for their receivers, for any alert and any value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertTypes } from '#domain/alerts/alert.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import type { JsonObject } from '#domain/json.ts';
import { type AlertFacts, systemVariables, type TemplateVariables } from '#domain/deliveries/template-variables.ts';
import { reportVariables } from '#domain/deliveries/failing-channel.ts';
import { templatesOf } from './config.ts';
import { presets } from './presets.ts';
import { tooMuchFor } from './receivers.ts';
import { renderWebhook } from './render.ts';
import { channelRules } from '../../rules.ts';
import { reshapes } from '../../templates/reshaping.ts';
import { presetSchemas } from '../../../../tests/support/receivers/preset-schemas.ts';

const own: Readonly<Record<string, string>> = {
  APPRISE_HOST: 'apprise.example',
  APPRISE_KEY: 'alerts',
  CORALOGIX_API_KEY: 'key',
  CORALOGIX_DOMAIN: 'eu2.coralogix.com',
  FIREHYDRANT_KEY: 'a.b.c',
  GITLAB_ALERT_KEY: 'key',
  GITLAB_ALERT_URL: 'https://gitlab.com/shop/cart/alerts/notify/tocsin/0a1b.json',
  GOTIFY_HOST: 'push.example',
  GOTIFY_TOKEN: 'token',
  ILERT_INTEGRATION_KEY: 'key',
  MATRIX_HOST: 'matrix.example',
  MATRIX_ROOM_ID: '!abc:matrix.example',
  MATRIX_TOKEN: 'token',
  PUSHOVER_TOKEN: 't'.repeat(30),
  PUSHOVER_USER: 'u'.repeat(30),
  ROCKETCHAT_HOST: 'chat.example',
  ROCKETCHAT_WEBHOOK: 'id/token',
  ROOTLY_SECRET: 'secret',
  ROOTLY_TARGET: 'Service/7c0e2f5a',
  SPIKESH_TOKEN: 'token',
  SPLUNK_API_KEY: 'key',
  SPLUNK_ROUTING_KEY: 'database',
  TWILIO_ACCOUNT_SID: 'AC0',
  TWILIO_AUTH_TOKEN: 'token',
  TWILIO_FROM: '+15550100',
  TWILIO_TO: '+15550101',
  ZULIP_API_KEY: 'key',
  ZULIP_BOT_EMAIL: 'alerts-bot@chat.example',
  ZULIP_CHANNEL: 'on call & more',
  ZULIP_HOST: 'chat.example',
  DISCORD_WEBHOOK: '1234/a-b_c',
  GOOGLE_CHAT_WEBHOOK: 'AAAA/messages?key=k&token=t%3D',
  INCIDENTIO_ALERT_SOURCE: '01ABC',
  INCIDENTIO_TOKEN: 'secret',
  MATTERMOST_HOST: 'chat.example',
  MATTERMOST_WEBHOOK: 'abc',
  TEAMS_WORKFLOW_URL: 'https://prod-1.westeurope.logic.azure.com/workflows/1?sig=a%2Fb&sv=1.0',
  NTFY_TOPIC: 'alerts_of-shop',
  OPSGENIE_API_KEY: 'key',
  PAGERDUTY_ROUTING_KEY: 'r'.repeat(32),
  SLACK_WEBHOOK: 'T0/B0/x',
  TELEGRAM_CHAT_ID: '-1001234',
  TELEGRAM_BOT_TOKEN: '123:ABC',
};
const facts = {
  createdAt: Date.parse('2026-03-10T12:00:05Z'),
  uuid: 'u',
  randomNumber: 1,
  userAgent: 'Tocsin/0',
  timeZone: 'Europe/Berlin',
};

/** Stored configuration of a preset. */
function stored(webhookType = ''): JsonObject {
  const found = presets.find((preset) => preset.webhookType === webhookType);
  assert.ok(found);
  return { ...(JSON.parse(JSON.stringify(found.config)) as JsonObject), webhookType };
}

/** Message of a body: an object, or the fields of a form. */
function messageIn({ headers, body }: Pick<Message, 'headers' | 'body'>): unknown {
  const isForm = headers.some(([, value]) => value === 'application/x-www-form-urlencoded');
  return isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body);
}

/** Renders a preset and reads its message. */
function rendered(webhookType: string, variables: TemplateVariables): { request: Message; message: unknown } {
  const request = renderWebhook(stored(webhookType), variables, facts);
  return { request, message: messageIn(request) };
}

function variablesOf(
  alertType: AlertFacts['alertType'],
  hostile: string | null,
  reminder: number | null = null,
): TemplateVariables {
  const or = (harmless: string): string => hostile ?? harmless;
  const system = systemVariables({
    alertType,
    deliveryId: 'd',
    check: {
      id: '7c0e2f5a-1d34-4b8e-9a61-0f2d3c4b5a69',
      name: or('Cart'),
      checkType: 'API',
      description: hostile,
      runbookUrl: or('https://wiki.example/cart'),
      notes: or('Call the bank'),
      tags: [or('shop'), or('env:production')],
      url: hostile,
    },
    groupName: hostile,
    result: {
      id: 'r',
      message: or('expected a status below 400'),
      responseTimeMs: hostile === null ? 182.6 : null,
      status: 503,
      statusText: or('Service Unavailable'),
      startedAt: facts.createdAt,
      link: 'https://tocsin.example/results/AbC',
    },
    location: { code: 'local', name: or('Local') },
    ssl: {
      daysRemaining: 3,
      domain: or('shop.example'),
      sentence: `the certificate of ${or('shop.example')} expires in 3 days`,
    },
    reminder,
    isTest: false,
  });
  return { ...own, ...system };
}

const hostileValues = [
  null,
  '"',
  '\\',
  'a\nb\r\n\tc',
  '</b><!channel> <@U123> <https://evil.example|here> & @everyone @channel <users/all>',
  '🔥\u202e\u2028\0\ud83d',
  '{{CHECK_NAME}} ${x} %s',
  'x'.repeat(4096),
  '"'.repeat(4096),
  '🔥'.repeat(2048),
  ']('.repeat(2048),
  '@'.repeat(4096),
  '][@]:'.repeat(800),
  'a\n/close & <https://evil.example|here>',
];
/** Alerts that can be sent: the type, and the number of the reminder. */
const alerts = [...alertTypes.map((type) => [type, null] as const), ['ALERT_FAILURE', 2] as const];

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&#x60;': '`',
  '&#x3D;': '=',
};

/** Whether a text of the message contains the value unchanged, except for zero-width spaces and entities. */
function isShown(value: string, message: unknown): boolean {
  const start = value.toWellFormed().slice(0, 60);
  return textsIn(message).some((text) => {
    const shown = text.replaceAll('\u200b', '').toWellFormed();
    return shown.includes(start) || shown.replace(/&[#\w]+;/g, (entity) => entities[entity] ?? entity).includes(start);
  });
}

for (const { webhookType = '', name, config, variables } of presets) {
  test(`the preset for ${name} renders a valid message for every alert, even with hostile values`, () => {
    const schema = presetSchemas[webhookType];
    assert.ok(schema);
    for (const [alertType, reminder] of alerts) {
      for (const hostile of hostileValues) {
        const { request, message } = rendered(webhookType, variablesOf(alertType, hostile, reminder));
        const parsed = schema.safeParse(message);
        const about = `${alertType} with ${JSON.stringify(hostile)?.slice(0, 40)}`;
        assert.ok(parsed.success, `${about}: ${parsed.error}`);
        assert.equal(tooMuchFor(request.body, { url: request.url, webhookType }), null, about);
        assert.match(request.url, /^https:\/\/[\w.-]+\/[\w/:?&=%.!-]*$/);
        if (hostile !== null) assert.ok(isShown(hostile, message), `${about} is changed`);
      }
    }
  });

  test(`the preset for ${name} can be saved without warnings and lists its variables`, () => {
    assert.deepEqual(channelRules.validateConfig('WEBHOOK', stored(webhookType), new Set()), []);
    for (const alertType of ['ALERT_FAILURE', 'ALERT_RECOVERY'] as const) {
      assert.deepEqual(
        channelRules.warnings('WEBHOOK', stored(webhookType), variablesOf(alertType, null), new Set(), new Set()),
        [],
      );
    }
    const used = Object.keys(own).filter((key) => JSON.stringify(config).includes(key));
    assert.deepEqual(variables.map(({ key }) => key).toSorted(), used.toSorted());
  });
}

test('every preset shows time, check, group, tags, link and whether it is a replay', () => {
  const said = [
    ['ALERT_TITLE', 'Cart has failed (replayed)'],
    ['CHECK_NAME', 'Cart'],
    ['GROUP_NAME', 'Shop'],
    ['RESULT_LINK', 'https://tocsin.example/results/AbC'],
  ] as const;
  // Receives the time as data, and shows it in its own way.
  const withoutLocalTime: string[] = [];
  for (const { webhookType = '' } of presets) {
    const alert = { ...variablesOf('ALERT_FAILURE', null), GROUP_NAME: 'Shop', STARTED_AT: '2026-01-02T03:04:05.000Z' };
    const shown = (values: TemplateVariables) => textsIn(rendered(webhookType, values).message).join('\n');
    const body = shown({ ...alert, IS_REPLAY: true, REPLAY_OF: 'd' });
    for (const [name, value] of said) assert.ok(body.includes(value), `${webhookType} without ${name}: ${body}`);
    if (!body.includes('2026-01-02 04:04:05 CET')) withoutLocalTime.push(webhookType);
    // Their messages have no room for more.
    if (!['WEBHOOK_PUSHOVER', 'WEBHOOK_TWILIO'].includes(webhookType)) {
      assert.match(
        body,
        /Call the bank[^]*https:\/\/wiki\.example\/cart|https:\/\/wiki\.example\/cart[^]*Call the bank/,
        webhookType,
      );
    }
    if (withoutLocalTime.includes(webhookType)) assert.match(body, /2026-01-02T03:04:05\.000Z/, webhookType);
    assert.match(body, /shop, env:production/, webhookType);
    assert.doesNotMatch(shown(alert), /replayed/, webhookType);
  }
  const services = 'CORALOGIX DISCORD FIREHYDRANT GITLAB_ALERT ILERT INCIDENTIO OPSGENIE PAGERDUTY ROOTLY SPIKESH';
  assert.deepEqual(
    withoutLocalTime,
    services.split(' ').map((name) => `WEBHOOK_${name}`),
  );
});

/** Message of each preset for an alert whose texts are all `hostile`. */
function messagesWith(hostile: string): Readonly<Record<string, unknown>> {
  const variables = variablesOf('ALERT_FAILURE', hostile);
  return Object.fromEntries(
    presets.map(({ webhookType = '' }) => [webhookType, rendered(webhookType, variables).message]),
  );
}

test('presets prevent mentions where the receiver supports them', () => {
  const messages = messagesWith('@here @everyone @someone @**all** <!channel> <@U1> <users/all>');
  for (const type of ['MATTERMOST', 'TELEGRAM', 'ROCKETCHAT', 'ZULIP', 'APPRISE', 'GITLAB_ALERT']) {
    const { topic: _, ...shown } = messages[`WEBHOOK_${type}`] as Record<string, unknown>;
    const texts = textsIn(shown).join('\n');
    assert.match(texts, /@\u200beveryone/, type);
    assert.doesNotMatch(texts, /@(here|everyone|someone|\*)/, type);
  }
  assert.deepEqual((messages['WEBHOOK_DISCORD'] as JsonObject)['allowed_mentions'], { parse: [] });
  assert.ok(!/[<>]/.test((messages['WEBHOOK_SLACK'] as { text: string }).text));
});

const links: Readonly<Record<string, string>> = {
  'a link': '[Open the result](https://evil.example)',
  'a link within brackets': '[[a]](https://evil.example)](https://evil.example)',
  'a link to an address in pointed brackets': '[a](<https://evil.example>)',
  'a picture': '![](https://evil.example/pixel.png)',
  'a picture that is a link': '[![a](https://evil.example/p.png)](https://evil.example)',
  'a link by reference': '[a][b]\n\n[b]: https://evil.example',
  'a link by a reference of its own name': '[a]\n\n[a]: https://evil.example',
};
for (const [what, hostile] of Object.entries(links)) {
  test(`${what} in Markdown cannot hide a URL in presets for receivers that render Markdown`, () => {
    const messages = messagesWith(hostile);
    const parsed = (type: string) => messages[type] as Record<string, unknown>;
    const read: Readonly<Record<string, unknown>> = {
      Discord: parsed('WEBHOOK_DISCORD')['embeds'],
      'Microsoft Teams': parsed('WEBHOOK_MSTEAMS')['attachments'],
      Mattermost: parsed('WEBHOOK_MATTERMOST')['attachments'],
      'incident.io': parsed('WEBHOOK_INCIDENTIO')['description'],
      FireHydrant: parsed('WEBHOOK_FIREHYDRANT')['body'],
      GitLab: parsed('WEBHOOK_GITLAB_ALERT'),
      ilert: parsed('WEBHOOK_ILERT')['details'],
      'Rocket.Chat': parsed('WEBHOOK_ROCKETCHAT'),
      Rootly: parsed('WEBHOOK_ROOTLY')['description'],
      Zulip: parsed('WEBHOOK_ZULIP')['content'],
    };
    for (const [name, where] of Object.entries(read)) {
      const texts = textsIn(where).filter((shown) => shown.includes('evil.example'));
      assert.ok(texts.length > 0, name);
      for (const shown of texts) assert.doesNotMatch(shown, /\][([:]/, name);
      assert.ok(
        texts.some((shown) => shown.replaceAll('\u200b', '').includes(hostile)),
        `${name} shows it unchanged`,
      );
    }
    assert.ok(
      textsIn(parsed('WEBHOOK_PAGERDUTY')).some((shown) => shown.includes(hostile)),
      'PagerDuty shows it unchanged',
    );
  });
}

/** All texts in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test('a recovery closes the failure of the same check, and no certificate alert', () => {
  const message = (type: string, alertType: AlertFacts['alertType']) =>
    rendered(`WEBHOOK_${type}`, variablesOf(alertType, null)).message as Record<string, unknown>;
  const closing = [
    ['FIREHYDRANT', 'idempotency_key', 'status', 'OPEN', 'CLOSED'],
    ['GITLAB_ALERT', 'fingerprint', 'end_time', undefined, '2026-03-10T12:00:05.000Z'],
    ['ILERT', 'alertKey', 'eventType', 'ALERT', 'RESOLVE'],
    ['INCIDENTIO', 'deduplication_key', 'status', 'firing', 'resolved'],
    ['PAGERDUTY', 'dedup_key', 'event_action', 'trigger', 'resolve'],
    ['ROOTLY', 'external_id', 'state', 'open', 'resolved'],
    ['SPIKESH', 'title', 'status', undefined, 'resolve'],
    ['SPLUNK', 'entity_id', 'message_type', 'CRITICAL', 'RECOVERY'],
  ] as const;
  for (const [type, key, state, open, closed] of closing) {
    const failure = message(type, 'ALERT_FAILURE');
    assert.equal(failure[state], open, type);
    for (const recovery of ['ALERT_RECOVERY', 'ALERT_DEGRADED_RECOVERY'] as const) {
      const ended = message(type, recovery);
      assert.equal(ended[state], closed, type);
      assert.equal(ended[key], failure[key], type);
    }
    assert.notEqual(message(type, 'ALERT_DEGRADED')[state], closed, type);
    assert.notEqual(message(type, 'ALERT_SSL')[state], closed, type);
    assert.notEqual(message(type, 'ALERT_SSL')[key], failure[key], type);
  }
  assert.equal(
    rendered('WEBHOOK_OPSGENIE', variablesOf('ALERT_RECOVERY', null)).request.url,
    `https://api.opsgenie.com/v2/alerts/${String(message('OPSGENIE', 'ALERT_FAILURE')['alias'])}/close?identifierType=alias`,
  );
});

test('reports about equally named channels of two accounts do not share an incident', () => {
  const keys = {
    FIREHYDRANT: 'idempotency_key',
    GITLAB_ALERT: 'fingerprint',
    ILERT: 'alertKey',
    INCIDENTIO: 'deduplication_key',
    OPSGENIE: 'alias',
    PAGERDUTY: 'dedup_key',
    ROOTLY: 'external_id',
    SPIKESH: 'title',
    SPLUNK: 'entity_id',
  };
  const reportOf = (accountId: string): TemplateVariables => ({
    ...own,
    ...reportVariables(
      {
        kind: 'failing',
        accountId,
        alertChannelId: 1,
        name: 'Slack',
        check: null,
        digest: null,
        since: 0,
        reason: null,
        variables: [],
      },
      'd',
      undefined,
    ),
  });
  for (const [type, key] of Object.entries(keys)) {
    const keyOf = (accountId: string): unknown =>
      (rendered(`WEBHOOK_${type}`, reportOf(accountId)).message as Record<string, unknown>)[key];
    assert.equal(typeof keyOf('a'), 'string', type);
    assert.notEqual(keyOf('a'), keyOf('b'), type);
  }
});

test('credentials go where the receiver expects them', () => {
  const header = (type: string, name: string) =>
    rendered(`WEBHOOK_${type}`, variablesOf('ALERT_FAILURE', null)).request.headers.find(([key]) => key === name)?.[1];
  assert.equal(header('GOTIFY', 'x-gotify-key'), 'token');
  for (const type of ['CORALOGIX', 'GITLAB_ALERT']) assert.equal(header(type, 'authorization'), 'Bearer key');
  assert.equal(header('MATRIX', 'authorization'), 'Bearer token');
  assert.equal(header('ROOTLY', 'authorization'), 'Bearer secret');
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  assert.equal(header('TWILIO', 'authorization'), basic('AC0', 'token'));
  assert.equal(header('ZULIP', 'authorization'), basic('alerts-bot@chat.example', 'key'));
});

test('a message to Matrix has the delivery as its transaction, so that a retry is not shown twice', () => {
  const { request } = rendered('WEBHOOK_MATRIX', variablesOf('ALERT_FAILURE', null));
  assert.equal(request.method, 'PUT');
  assert.match(request.url, /\/rooms\/!abc%3Amatrix\.example\/send\/m\.room\.message\/d$/);
});

test('the values of locked variables can be masked in the deliveries of every preset', () => {
  for (const { webhookType = '', variables } of presets) {
    const locked = variables.filter(({ locked }) => locked).map(({ key }) => key);
    const sources = templatesOf(stored(webhookType)).map(({ source }) => source);
    assert.deepEqual(
      sources.filter((source) => reshapes(source, new Set(locked))),
      [],
      webhookType,
    );
  }
});
