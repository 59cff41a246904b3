// Alert channels of other products: the kinds that Tocsin has, switched off until somebody has tested them.
import type { FileResource } from '#contract/projects/resource-file.ts';
import type { Draft, Source } from './imported.ts';

/** A ready-made webhook of Tocsin. */
export interface WebhookPreset {
  readonly webhookType?: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** What an alert of the other product is sent to, by the kind that Tocsin has for it. */
export type ChannelFacts =
  | { readonly type: 'EMAIL'; readonly address: string }
  | { readonly type: 'SLACK'; readonly url: string; readonly channel?: string }
  | { readonly type: 'PAGERDUTY'; readonly serviceKey: string }
  | { readonly type: 'OPSGENIE'; readonly apiKey: string; readonly region?: string; readonly priority?: string }
  | {
      readonly type: 'WEBHOOK';
      readonly url: string;
      readonly method?: string;
      readonly headers?: readonly (readonly [name: string, value: string])[];
    }
  | {
      readonly type: 'PRESET';
      readonly webhookType: string;
      /** Values of the variables that the preset names. */
      readonly variables: Readonly<Record<string, string>>;
    };

/** Fields of a channel that sends nothing. */
export const switchedOff = { sendFailure: false, sendRecovery: false, sendDegraded: false, sslExpiry: false } as const;

/** Says how to switch a channel on. */
export const switchOnNote = 'switched off: send a test message on its page, then switch on failures and recoveries';

/**
 * Adds a channel with what it needs.
 * @param facts null = it cannot be carried over, and the notes say why
 * @param presets of this version of Tocsin
 * @returns its logical ID; none = it was not added, and a row says why
 */
export function addChannel(
  draft: Draft,
  id: string,
  name: string,
  facts: ChannelFacts | null,
  source: Source,
  presets: readonly WebhookPreset[],
  notes: readonly string[] = [],
): readonly string[] {
  if (facts === null) {
    draft.skip(source, ...notes);
    return [];
  }
  const config = configOf(draft, name, facts, source, presets);
  if (typeof config === 'string') {
    draft.skip(source, config);
    return [];
  }
  const type = facts.type === 'PRESET' ? 'WEBHOOK' : facts.type;
  const channel = { type, config: { name, ...config }, ...switchedOff };
  return [draft.add('alertChannels', id, channel, source, [switchOnNote, ...notes])];
}

/** Adds an email channel for each address, which may have a name in front. @returns their logical IDs */
export function addAddresses(
  draft: Draft,
  id: string,
  name: string,
  addresses: string,
  source: Source,
  notes: readonly string[],
): readonly string[] {
  const bare = addresses
    .split(/[,;]/)
    .map((each) => (/<([^<>\s]+)>\s*$/.exec(each)?.[1] ?? each).trim())
    .filter((each, index) => each !== '' || index === 0);
  return bare.flatMap((address, index) => {
    const [ownId, ownName] = index === 0 ? [id, name] : [`${id}-${index + 1}`, `${name} (${address})`.slice(0, 200)];
    return addChannel(draft, ownId, ownName, { type: 'EMAIL', address }, source, [], notes);
  });
}

/** A chat of Telegram; null = it has an API server of its own, and a note says so. @param server '' = Telegram's own */
export function telegramChannel(of: {
  readonly token: string;
  readonly chat: string;
  readonly server: string;
  readonly notes: string[];
}): ChannelFacts | null {
  if (!['', 'https://api.telegram.org'].includes(of.server.replace(/\/+$/, ''))) {
    of.notes.push('only the API server of Telegram is carried over; create a channel from the Telegram preset');
    return null;
  }
  const variables = { TELEGRAM_BOT_TOKEN: of.token, TELEGRAM_CHAT_ID: of.chat };
  return { type: 'PRESET', webhookType: 'WEBHOOK_TELEGRAM', variables };
}

/** The configuration of a channel, or why there is none. */
function configOf(
  draft: Draft,
  name: string,
  facts: ChannelFacts,
  source: Source,
  presets: readonly WebhookPreset[],
): FileResource | string {
  switch (facts.type) {
    case 'EMAIL':
      return facts.address === '' ? 'no address' : { address: facts.address };
    case 'SLACK':
      return facts.url === '' ? 'no webhook URL' : { url: facts.url, ...(facts.channel && { channel: facts.channel }) };
    case 'PAGERDUTY':
      return facts.serviceKey === '' ? 'no integration key' : { serviceKey: facts.serviceKey };
    case 'OPSGENIE':
      if (facts.apiKey === '') return 'no API key';
      return {
        apiKey: facts.apiKey,
        region: facts.region?.toLowerCase() === 'eu' ? 'EU' : 'US',
        ...(/^P[1-5]$/.test(facts.priority ?? '') && { priority: facts.priority }),
      };
    case 'WEBHOOK':
      if (!/^https?:\/\//i.test(facts.url)) return 'no http or https URL';
      return {
        url: facts.url,
        method: facts.method ?? 'POST',
        headers: (facts.headers ?? []).map(([key, value]) => ({ key, value, locked: true })),
      };
    case 'PRESET':
    default:
      return presetConfig(draft, name, facts, source, presets);
  }
}

/** The configuration of a preset. Its values become locked variables of their own: channels of a kind differ, and templates cannot use secrets. */
function presetConfig(
  draft: Draft,
  name: string,
  { webhookType, variables }: Extract<ChannelFacts, { type: 'PRESET' }>,
  source: Source,
  presets: readonly WebhookPreset[],
): FileResource | string {
  const found = presets.find((preset) => preset.webhookType === webhookType);
  const missing = Object.entries(variables).filter(([, value]) => value === '');
  if (found === undefined) return `there is no preset ${webhookType}`;
  if (missing.length > 0) return `no value for ${missing.map(([key]) => key).join(', ')}`;
  const prefix = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase()
    .slice(0, 40);
  let text = JSON.stringify(found.config);
  for (const [key, value] of Object.entries(variables)) {
    const wanted = `${/^[A-Z]/.test(prefix) ? prefix : `CHANNEL_${prefix}`}_${key}`;
    const own = draft.add('variables', wanted, { value, locked: true }, { from: source.from, kind: 'variable' });
    // Whole names only: one name may be the beginning of another.
    text = text.replaceAll(new RegExp(`(?<!\\w)${key}(?!\\w)`, 'g'), own);
  }
  return { ...(JSON.parse(text) as FileResource), name };
}
