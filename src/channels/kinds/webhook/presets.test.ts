// Presets: each makes what its receiver takes, of any alert and with any value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { alertTypes } from '#domain/alerts/alert.ts';
import type { JsonObject } from '#domain/json.ts';
import { type AlertFacts, systemVariables, type TemplateVariables } from '#domain/alerts/template-variables.ts';
import { presets } from './presets.ts';
import { tooMuchFor } from './receivers.ts';
import { renderWebhook } from './render.ts';
import { channelRules } from '../../rules.ts';

const text = (most: number) => z.string().min(1).max(most);
const plainText = (most: number) => z.strictObject({ type: z.literal('plain_text'), text: text(most) });
const link = z.url({ protocol: /^https$/ });

/** What each receiver's documentation says that it takes, as far as the presets use it. */
const schemas: Readonly<Record<string, z.ZodType>> = {
  WEBHOOK_DISCORD: z.strictObject({
    allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
    embeds: z
      .array(
        z.strictObject({
          title: text(256),
          description: z.string().max(4096),
          url: link,
          color: z.int().min(0).max(0xffffff),
          timestamp: z.iso.datetime(),
          fields: z.array(z.strictObject({ name: text(256), value: text(1024), inline: z.boolean() })).max(25),
        }),
      )
      .max(10),
  }),
  WEBHOOK_GOOGLECHAT: z.strictObject({
    cardsV2: z.array(
      z.strictObject({
        cardId: text(100),
        card: z.strictObject({
          header: z.strictObject({ title: text(1000), subtitle: z.string().max(1000) }),
          sections: z.array(
            z.strictObject({
              widgets: z.array(
                z.union([
                  z.strictObject({ textParagraph: z.strictObject({ text: z.string().regex(/^[^<>]*$/) }) }),
                  z.strictObject({
                    buttonList: z.strictObject({
                      buttons: z.array(
                        z.strictObject({
                          text: text(100),
                          onClick: z.strictObject({ openLink: z.strictObject({ url: link }) }),
                        }),
                      ),
                    }),
                  }),
                ]),
              ),
            }),
          ),
        }),
      }),
    ),
  }),
  WEBHOOK_INCIDENTIO: z.strictObject({
    title: text(1000),
    description: z.string(),
    status: z.enum(['firing', 'resolved']),
    deduplication_key: text(1000),
    source_url: link,
    metadata: z.record(z.string(), z.union([z.string(), z.number()])),
  }),
  WEBHOOK_MATTERMOST: z.strictObject({
    attachments: z.array(
      z.strictObject({
        fallback: text(16_383),
        color: z.string().regex(/^#[0-9a-f]{6}$/),
        title: text(16_383),
        title_link: link,
        text: z.string().max(16_383),
        fields: z.array(z.strictObject({ short: z.boolean(), title: text(100), value: z.string() })),
      }),
    ),
  }),
  WEBHOOK_MSTEAMS: z.strictObject({
    type: z.literal('message'),
    attachments: z.tuple([
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.string(),
          type: z.literal('AdaptiveCard'),
          version: z.enum(['1.2', '1.3', '1.4', '1.5']),
          body: z.array(
            z.discriminatedUnion('type', [
              z.strictObject({
                type: z.literal('TextBlock'),
                text: z.string(),
                wrap: z.boolean(),
                size: z.enum(['Small', 'Default', 'Medium', 'Large']).optional(),
                weight: z.enum(['Lighter', 'Default', 'Bolder']).optional(),
                color: z.enum(['Default', 'Dark', 'Light', 'Accent', 'Good', 'Warning', 'Attention']).optional(),
              }),
              z.strictObject({
                type: z.literal('FactSet'),
                facts: z.array(z.strictObject({ title: text(100), value: z.string() })),
              }),
            ]),
          ),
          actions: z.array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: text(100), url: link })),
        }),
      }),
    ]),
  }),
  WEBHOOK_NTFY: z.strictObject({
    topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/),
    title: text(250),
    message: z.string().refine((message) => Buffer.byteLength(message) <= 4096),
    priority: z.int().min(1).max(5),
    tags: z.array(text(100)),
    click: link,
  }),
  WEBHOOK_OPSGENIE: z.union([
    z.strictObject({ source: text(100), note: z.string().max(25_000) }),
    z.strictObject({
      message: text(130),
      alias: text(512),
      description: z.string().max(15_000),
      source: text(100),
      entity: text(512),
      priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']),
      details: z.record(z.string(), z.string()).refine((details) => JSON.stringify(details).length <= 8000),
    }),
  ]),
  WEBHOOK_PAGERDUTY: z.strictObject({
    routing_key: z.string().length(32),
    event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
    dedup_key: text(255),
    client: text(100),
    client_url: link,
    payload: z.strictObject({
      summary: text(1024),
      source: text(1000),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: z.iso.datetime(),
      component: z.string(),
      group: z.string(),
      custom_details: z.record(z.string(), z.union([z.string(), z.number()])),
    }),
  }),
  WEBHOOK_SLACK: z.strictObject({
    // Nothing that Slack would read as a link, a mention or a command.
    text: z
      .string()
      .max(40_000)
      .regex(/^(?:[^&<>]|&amp;|&lt;|&gt;)+$/),
    attachments: z.array(
      z.strictObject({
        color: z.string().regex(/^#[0-9a-f]{6}$/),
        blocks: z
          .array(
            z.discriminatedUnion('type', [
              z.strictObject({ type: z.literal('section'), text: plainText(3000) }),
              z.strictObject({ type: z.literal('context'), elements: z.array(plainText(2000)).max(10) }),
              z.strictObject({
                type: z.literal('actions'),
                elements: z.array(
                  z.strictObject({ type: z.literal('button'), text: plainText(75), url: z.string().max(3000) }),
                ),
              }),
            ]),
          )
          .max(50),
      }),
    ),
  }),
  WEBHOOK_TELEGRAM: z.strictObject({
    chat_id: z.string().min(1),
    text: text(4096),
    link_preview_options: z.strictObject({ is_disabled: z.boolean() }),
  }),
};

const own: Readonly<Record<string, string>> = {
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
const facts = { createdAt: Date.parse('2026-03-10T12:00:05Z'), uuid: 'u', randomNumber: 1, userAgent: 'Tocsin/0' };

/** The configuration of a preset as a channel stores it. */
function stored(webhookType = ''): JsonObject {
  const found = presets.find((preset) => preset.webhookType === webhookType);
  assert.ok(found);
  return { ...(JSON.parse(JSON.stringify(found.config)) as JsonObject), webhookType };
}

function variablesOf(alertType: AlertFacts['alertType'], hostile: string | null): TemplateVariables {
  const or = (harmless: string): string => hostile ?? harmless;
  const system = systemVariables({
    alertType,
    deliveryId: 'd',
    check: {
      id: '7c0e2f5a-1d34-4b8e-9a61-0f2d3c4b5a69',
      name: or('Cart'),
      checkType: 'API',
      description: hostile,
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
    reminder: null,
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
];

for (const { webhookType = '', name, config, variables } of presets) {
  test(`the preset for ${name} makes what it takes, of every alert and with hostile values`, () => {
    const schema = schemas[webhookType];
    assert.ok(schema);
    for (const alertType of alertTypes) {
      for (const hostile of hostileValues) {
        const request = renderWebhook(stored(webhookType), variablesOf(alertType, hostile), facts);
        const parsed = schema.safeParse(JSON.parse(request.body));
        assert.ok(parsed.success, `${alertType} with ${JSON.stringify(hostile)?.slice(0, 40)}: ${parsed.error}`);
        assert.equal(tooMuchFor(request.body, { url: request.url, webhookType }), null);
        assert.match(request.url, /^https:\/\/[\w.-]+\/[\w/:?&=%.-]*$/);
        assert.ok(request.headers.some(([key, value]) => key === 'content-type' && value === 'application/json'));
      }
    }
  });

  test(`the preset for ${name} can be saved, brings no warning, and says which variables it uses`, () => {
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

test('every preset says when it happened, to which check, group and tags, where to look, and whether it is a replay', () => {
  const said = [
    ['ALERT_TITLE', 'Cart has failed (replayed)'],
    ['STARTED_AT', '2026-01-02T03:04:05.000Z'],
    ['CHECK_NAME', 'Cart'],
    ['GROUP_NAME', 'Shop'],
    ['RESULT_LINK', 'https://tocsin.example/results/AbC'],
  ] as const;
  for (const { webhookType = '' } of presets) {
    const alert = { ...variablesOf('ALERT_FAILURE', null), GROUP_NAME: 'Shop', STARTED_AT: '2026-01-02T03:04:05.000Z' };
    const { body } = renderWebhook(stored(webhookType), { ...alert, IS_REPLAY: true, REPLAY_OF: 'd' }, facts);
    for (const [name, value] of said) assert.ok(body.includes(value), `${webhookType} without ${name}: ${body}`);
    assert.match(body, /shop, env:production/, webhookType);
    assert.doesNotMatch(renderWebhook(stored(webhookType), alert, facts).body, /replayed/, webhookType);
  }
});

/** The body of each preset for an alert whose texts all are `hostile`. */
function bodiesWith(hostile: string): Readonly<Record<string, string>> {
  const render = (webhookType: string) =>
    renderWebhook(stored(webhookType), variablesOf('ALERT_FAILURE', hostile), facts).body;
  return Object.fromEntries(presets.map(({ webhookType = '' }) => [webhookType, render(webhookType)]));
}

test('what calls people stays text in the presets of those who would read it so', () => {
  const bodies = bodiesWith('@here @everyone @someone <!channel> <@U1> <users/all>');
  for (const type of ['WEBHOOK_MATTERMOST', 'WEBHOOK_TELEGRAM']) {
    assert.match(bodies[type] ?? '', /@\u200beveryone/);
    assert.doesNotMatch(bodies[type] ?? '', /@(here|everyone|someone)/);
  }
  assert.deepEqual(JSON.parse(bodies['WEBHOOK_DISCORD'] ?? '').allowed_mentions, { parse: [] });
  assert.ok(!/[<>]/.test(JSON.parse(bodies['WEBHOOK_SLACK'] ?? '').text));
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
  test(`${what} in Markdown hides no address in the presets of those who read Markdown`, () => {
    const bodies = bodiesWith(hostile);
    const parsed = (type: string) => JSON.parse(bodies[type] ?? '') as Record<string, unknown>;
    const read: Readonly<Record<string, unknown>> = {
      Discord: parsed('WEBHOOK_DISCORD')['embeds'],
      'Microsoft Teams': parsed('WEBHOOK_MSTEAMS')['attachments'],
      Mattermost: parsed('WEBHOOK_MATTERMOST')['attachments'],
      'incident.io': parsed('WEBHOOK_INCIDENTIO')['description'],
    };
    for (const [name, where] of Object.entries(read)) {
      const texts = textsIn(where).filter((shown) => shown.includes('evil.example'));
      assert.ok(texts.length > 0, name);
      for (const shown of texts) assert.doesNotMatch(shown, /\][([:]/, name);
      assert.ok(
        texts.some((shown) => shown.replaceAll('\u200b', '').includes(hostile)),
        `${name} shows it as it is`,
      );
    }
    assert.ok(
      textsIn(parsed('WEBHOOK_PAGERDUTY')).some((shown) => shown.includes(hostile)),
      'and no other changes it',
    );
  });
}

/** Every text in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test('a recovery closes what the failure of the same check opened', () => {
  const render = (type: string, alertType: AlertFacts['alertType']) => {
    const { url, body } = renderWebhook(stored(type), variablesOf(alertType, null), facts);
    return { url, body: JSON.parse(body) as Record<string, unknown> };
  };
  const opened = render('WEBHOOK_PAGERDUTY', 'ALERT_FAILURE').body;
  const closed = render('WEBHOOK_PAGERDUTY', 'ALERT_RECOVERY').body;
  assert.deepEqual([opened['event_action'], closed['event_action']], ['trigger', 'resolve']);
  assert.equal(opened['dedup_key'], closed['dedup_key']);
  assert.equal(render('WEBHOOK_INCIDENTIO', 'ALERT_DEGRADED_RECOVERY').body['status'], 'resolved');
  const { alias } = render('WEBHOOK_OPSGENIE', 'ALERT_FAILURE').body;
  assert.equal(
    render('WEBHOOK_OPSGENIE', 'ALERT_RECOVERY').url,
    `https://api.opsgenie.com/v2/alerts/${String(alias)}/close?identifierType=alias`,
  );
});
