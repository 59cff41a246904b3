// Size limits of well-known receivers, for preview warnings.

/** A receiver, recognized by `webhookType` or host. */
interface Receiver {
  readonly name: string;
  readonly webhookType: string;
  readonly host: RegExp;
  /** Bytes of a body. */
  readonly maxBody?: number;
  /** Maximum characters by path in the JSON (`*` matches each item). */
  readonly fields?: Readonly<Record<string, number>>;
}

const receivers: readonly Receiver[] = [
  {
    name: 'Slack',
    webhookType: 'WEBHOOK_SLACK',
    host: /^hooks\.slack(-gov)?\.com$/,
    fields: { text: 40_000, 'blocks.*.text.text': 3000, 'attachments.*.blocks.*.text.text': 3000 },
  },
  {
    name: 'Discord',
    webhookType: 'WEBHOOK_DISCORD',
    host: /(^|\.)discord(app)?\.com$/,
    fields: {
      content: 2000,
      'embeds.*.title': 256,
      'embeds.*.description': 4096,
      'embeds.*.fields.*.name': 256,
      'embeds.*.fields.*.value': 1024,
    },
  },
  {
    name: 'Microsoft Teams',
    webhookType: 'WEBHOOK_MSTEAMS',
    host: /\.(logic\.azure\.com|webhook\.office\.com|powerplatform\.com)$/,
    maxBody: 28 * 1024,
  },
  { name: 'Telegram', webhookType: 'WEBHOOK_TELEGRAM', host: /^api\.telegram\.org$/, fields: { text: 4096 } },
  {
    name: 'PagerDuty',
    webhookType: 'WEBHOOK_PAGERDUTY',
    host: /^events\.(eu\.)?pagerduty\.com$/,
    maxBody: 512 * 1024,
    fields: { 'payload.summary': 1024, dedup_key: 255 },
  },
  {
    name: 'Opsgenie',
    webhookType: 'WEBHOOK_OPSGENIE',
    host: /^api\.(eu\.)?opsgenie\.com$/,
    fields: { message: 130, alias: 512, description: 15_000, entity: 512, source: 100 },
  },
  { name: 'ntfy', webhookType: 'WEBHOOK_NTFY', host: /^ntfy\.sh$/, fields: { message: 4096 } },
  { name: 'Google Chat', webhookType: 'WEBHOOK_GOOGLECHAT', host: /^chat\.googleapis\.com$/, maxBody: 32_000 },
  {
    name: 'Mattermost',
    webhookType: 'WEBHOOK_MATTERMOST',
    host: /(^|\.)mattermost\./,
    fields: { text: 16_383, 'attachments.*.text': 16_383 },
  },
  { name: 'incident.io', webhookType: 'WEBHOOK_INCIDENTIO', host: /^api\.incident\.io$/, maxBody: 512 * 1024 },
  {
    name: 'Pushover',
    webhookType: 'WEBHOOK_PUSHOVER',
    host: /^api\.pushover\.net$/,
    fields: { title: 250, message: 1024, url: 512, url_title: 100 },
  },
  { name: 'Twilio', webhookType: 'WEBHOOK_TWILIO', host: /^api\.twilio\.com$/, fields: { Body: 1600 } },
  { name: 'Matrix', webhookType: 'WEBHOOK_MATRIX', host: /(^|\.)matrix\./, maxBody: 64 * 1024 },
  {
    name: 'Zulip',
    webhookType: 'WEBHOOK_ZULIP',
    host: /(^|\.)zulipchat\.com$/,
    fields: { topic: 60, content: 10_000 },
  },
  { name: 'Rocket.Chat', webhookType: 'WEBHOOK_ROCKETCHAT', host: /(^|\.)rocket\.chat$/, fields: { text: 5000 } },
  {
    name: 'Splunk On-Call',
    webhookType: 'WEBHOOK_SPLUNK',
    host: /^alert\.victorops\.com$/,
    fields: { entity_id: 512, state_message: 20_480 },
  },
  {
    name: 'GitLab',
    webhookType: 'WEBHOOK_GITLAB_ALERT',
    host: /^gitlab\.com$/,
    fields: { title: 200, description: 1000, service: 100, monitoring_tool: 100 },
  },
  {
    name: 'FireHydrant',
    webhookType: 'WEBHOOK_FIREHYDRANT',
    host: /^signals\.firehydrant\.(com|io)$/,
    fields: { summary: 255, idempotency_key: 255 },
  },
  {
    name: 'Coralogix',
    webhookType: 'WEBHOOK_CORALOGIX',
    host: /^ingress\.([\w-]+\.)?coralogix\.com$/,
    maxBody: 2 * 1024 * 1024,
  },
];

/** The smallest body limit of all known receivers. */
const maxModest = 28 * 1024;

/** Returns which limit a body exceeds, as the end of a sentence, or null. */
export function tooMuchFor(
  body: string,
  { url, webhookType }: { readonly url: string; readonly webhookType: string | null },
): string | null {
  const host = URL.parse(url)?.hostname ?? '';
  const receiver =
    receivers.find((one) => one.webhookType === webhookType) ?? receivers.find((one) => one.host.test(host));
  const bytes = Buffer.byteLength(body);
  if (receiver === undefined) {
    return bytes > maxModest
      ? `the body has ${bytes} bytes; well-known receivers accept at most ${maxModest} bytes (Microsoft Teams) to 40,000 characters (Slack)`
      : null;
  }
  const { name, maxBody, fields = {} } = receiver;
  if (maxBody !== undefined && bytes > maxBody)
    return `the body has ${bytes} bytes; ${name} accepts at most ${maxBody}`;
  const value = parsed(body);
  for (const [path, max] of Object.entries(fields)) {
    const longest = Math.max(0, ...textsAt(value, path.split('.')).map((text) => text.length));
    if (longest > max) return `${path} has ${longest} characters; ${name} accepts at most ${max}`;
  }
  return null;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Some receivers accept form fields.
    return Object.fromEntries(new URLSearchParams(body));
  }
}

function textsAt(value: unknown, path: readonly string[]): string[] {
  const [step, ...rest] = path;
  if (step === undefined) return typeof value === 'string' ? [value] : [];
  if (step === '*') return Array.isArray(value) ? value.flatMap((item: unknown) => textsAt(item, rest)) : [];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return [];
  return textsAt((value as Readonly<Record<string, unknown>>)[step], rest);
}
