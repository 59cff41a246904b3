// What well-known receivers take at most, so that a preview can say when a message would be refused or cut.

/** A receiver, known by the channel's `webhookType` or by the host it is sent to. */
interface Receiver {
  readonly name: string;
  readonly webhookType: string;
  readonly host: RegExp;
  /** Bytes of a body. */
  readonly bodyMost?: number;
  /** Path in the JSON (`*` = each item) → characters. */
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
    bodyMost: 28 * 1024,
  },
  { name: 'Telegram', webhookType: 'WEBHOOK_TELEGRAM', host: /^api\.telegram\.org$/, fields: { text: 4096 } },
  {
    name: 'PagerDuty',
    webhookType: 'WEBHOOK_PAGERDUTY',
    host: /^events\.(eu\.)?pagerduty\.com$/,
    bodyMost: 512 * 1024,
    fields: { 'payload.summary': 1024, dedup_key: 255 },
  },
  {
    name: 'Opsgenie',
    webhookType: 'WEBHOOK_OPSGENIE',
    host: /^api\.(eu\.)?opsgenie\.com$/,
    fields: { message: 130, alias: 512, description: 15_000, entity: 512, source: 100 },
  },
  { name: 'ntfy', webhookType: 'WEBHOOK_NTFY', host: /^ntfy\.sh$/, fields: { message: 4096 } },
  { name: 'Google Chat', webhookType: 'WEBHOOK_GOOGLECHAT', host: /^chat\.googleapis\.com$/, bodyMost: 32_000 },
  {
    name: 'Mattermost',
    webhookType: 'WEBHOOK_MATTERMOST',
    host: /(^|\.)mattermost\./,
    fields: { text: 16_383, 'attachments.*.text': 16_383 },
  },
  { name: 'incident.io', webhookType: 'WEBHOOK_INCIDENTIO', host: /^api\.incident\.io$/, bodyMost: 512 * 1024 },
];

/** Bytes that the most modest of those that anything may be sent to takes. */
const modestMost = 28 * 1024;

/** What a receiver would not take of a body, as the end of a sentence; null = it takes it, as far as is known. */
export function tooMuchFor(
  body: string,
  { url, webhookType }: { readonly url: string; readonly webhookType: string | null },
): string | null {
  const host = URL.parse(url)?.hostname ?? '';
  const receiver =
    receivers.find((one) => one.webhookType === webhookType) ?? receivers.find((one) => one.host.test(host));
  const bytes = Buffer.byteLength(body);
  if (receiver === undefined) {
    return bytes > modestMost
      ? `the body has ${bytes} bytes; well-known receivers accept at most ${modestMost} bytes (Microsoft Teams) to 40,000 characters (Slack)`
      : null;
  }
  const { name, bodyMost, fields = {} } = receiver;
  if (bodyMost !== undefined && bytes > bodyMost)
    return `the body has ${bytes} bytes; ${name} accepts at most ${bodyMost}`;
  const value = parsed(body);
  for (const [path, most] of Object.entries(fields)) {
    const longest = Math.max(0, ...textsAt(value, path.split('.')).map((text) => text.length));
    if (longest > most) return `${path} has ${longest} characters; ${name} accepts at most ${most}`;
  }
  return null;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Some take forms: a field of one is a field like any other.
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
