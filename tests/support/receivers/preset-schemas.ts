// Schemas of the messages that well-known receivers accept.
import { z } from 'zod';

const text = (max: number) => z.string().min(1).max(max);
const plainText = (max: number) => z.strictObject({ type: z.literal('plain_text'), text: text(max) });
const link = z.url({ protocol: /^https$/ });

/** By `webhookType`, from the receivers' documentation, as far as presets use them. Form fields are texts. */
export const presetSchemas: Readonly<Record<string, z.ZodType>> = {
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
    // Nothing that Slack interprets as a link, mention or command.
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
  WEBHOOK_APPRISE: z.strictObject({
    title: text(250),
    body: text(32_768),
    type: z.enum(['info', 'success', 'warning', 'failure']),
    format: z.literal('text'),
  }),
  WEBHOOK_CORALOGIX: z.tuple([
    z.strictObject({
      applicationName: text(250),
      subsystemName: text(250),
      severity: z.int().min(1).max(6),
      timestamp: z.int().min(1_700_000_000_000),
      text: z.record(z.string(), z.union([z.string(), z.number()])),
    }),
  ]),
  WEBHOOK_FIREHYDRANT: z.strictObject({
    summary: text(255),
    body: z.string(),
    level: z.enum(['INFO', 'WARN', 'ERROR', 'FATAL']),
    status: z.enum(['OPEN', 'CLOSED']),
    idempotency_key: text(255),
    links: z.array(z.strictObject({ href: link, text: text(100) })),
    tags: z.array(z.string()),
    annotations: z
      .object({ 'signals.firehydrant.com/notification-priority': z.enum(['HIGH', 'MEDIUM', 'LOW']) })
      .catchall(z.string()),
  }),
  WEBHOOK_GITLAB_ALERT: z
    .object({
      title: text(200),
      // No lines that GitLab executes.
      description: z
        .string()
        .max(1000)
        .refine((description) => !description.includes('\n/')),
      start_time: z.iso.datetime(),
      end_time: z.iso.datetime().exactOptional(),
      service: text(100),
      monitoring_tool: text(100),
      severity: z.enum(['critical', 'high', 'medium', 'low', 'info', 'unknown']),
      fingerprint: text(255),
      result: link,
    })
    .catchall(z.string()),
  WEBHOOK_GOTIFY: z.strictObject({
    title: text(250),
    message: text(32_768),
    priority: z.int().min(0).max(10),
    extras: z.strictObject({
      'client::display': z.strictObject({ contentType: z.literal('text/plain') }),
      'client::notification': z.strictObject({ click: z.strictObject({ url: link }) }),
    }),
  }),
  WEBHOOK_ILERT: z.strictObject({
    integrationKey: text(250),
    eventType: z.enum(['ALERT', 'ACCEPT', 'RESOLVE']),
    summary: text(255),
    details: z.string(),
    alertKey: text(255),
    priority: z.enum(['HIGH', 'LOW']),
    links: z.array(z.strictObject({ href: link, text: text(100) })),
    customDetails: z.record(z.string(), z.string()),
  }),
  WEBHOOK_MATRIX: z.strictObject({
    msgtype: z.literal('m.text'),
    body: text(16_384),
    'm.mentions': z.strictObject({}),
  }),
  WEBHOOK_PUSHOVER: z.strictObject({
    token: z.string().length(30),
    user: z.string().length(30),
    title: text(250),
    message: text(1024),
    url: link.max(512),
    url_title: text(100),
    priority: z.enum(['-2', '-1', '0', '1']),
    timestamp: z.string().regex(/^\d{10}$/),
  }),
  WEBHOOK_ROCKETCHAT: z.strictObject({
    text: text(5000),
    attachments: z.array(
      z.strictObject({
        color: z.string().regex(/^#[0-9a-f]{6}$/),
        title: text(100),
        title_link: link,
        text: z.string().max(5000),
        fields: z.array(z.strictObject({ short: z.boolean(), title: text(100), value: z.string() })),
      }),
    ),
  }),
  WEBHOOK_ROOTLY: z
    .object({
      title: text(250),
      description: z.string(),
      state: z.enum(['open', 'resolved']),
      severity: z.enum(['critical', 'warning', 'info']),
      external_id: text(255),
      external_url: link,
    })
    .catchall(z.string()),
  WEBHOOK_SPIKESH: z.strictObject({
    title: text(200),
    status: z.literal('resolve').exactOptional(),
    severity: z.enum(['sev1', 'sev2', 'sev3']),
    priority: z.enum(['p1', 'p2', 'p3', 'p4', 'p5']),
    body: z.record(z.string(), z.string()),
  }),
  WEBHOOK_SPLUNK: z.strictObject({
    message_type: z.enum(['CRITICAL', 'WARNING', 'ACKNOWLEDGEMENT', 'INFO', 'RECOVERY']),
    entity_id: text(512),
    entity_display_name: text(512),
    state_message: text(20_480),
    state_start_time: z.int().min(1_700_000_000).max(9_999_999_999),
    monitoring_tool: text(100),
    'vo_annotate.u.Result': link,
  }),
  WEBHOOK_TWILIO: z.strictObject({
    To: z.string().regex(/^\+\d+$/),
    From: z.string().regex(/^\+\d+$/),
    Body: text(1600),
  }),
  WEBHOOK_ZULIP: z.strictObject({
    type: z.literal('stream'),
    to: text(60),
    topic: text(60).regex(/^[^\n\r\t]*$/),
    content: text(10_000),
  }),
};
