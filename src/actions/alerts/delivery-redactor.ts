// Redacts locked headers, query parameters and variables in deliveries.
import { maskAcknowledgeLinks } from './acknowledge-links.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { Attempt, Delivery, Message } from '#domain/deliveries/delivery.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { JsonObject } from '#domain/json.ts';
import { hasSecretUrl, maskAddress, maskUserInfo } from '#domain/deliveries/shown-url.ts';

/** Redacts copies for display. */
export interface Redactor {
  readonly request: (request: Message) => Message;
  readonly attempt: (attempt: Attempt, request: Message | null) => Attempt;
  /** The same for callers without write permission: also hides a secret URL, its credentials, and links to acknowledge. */
  readonly address: (request: Message) => Message;
  readonly headers: (headers: Message['headers']) => Message['headers'];
}

/** Finds the redactor of a delivery. */
export type RedactorOf = (delivery: Pick<Delivery, 'accountId' | 'alertChannelId' | 'checkId'>) => Promise<Redactor>;

/** Returns the redactor for deliveries of a channel. */
export interface RedactingRules<Locked> {
  /** null = the channel was deleted. */
  lockedOf(channel: Pick<AlertChannel, 'type' | 'config'> | null, variables: readonly EnvironmentVariable[]): Locked;
  redactRequest(request: Message, locked: Locked): Message;
  redactAttempt<A extends Attempt>(attempt: A, request: Message | null, locked: Locked): A;
}

export interface RedactorDeps<Locked> {
  readonly rules: RedactingRules<Locked>;
  /** null = it was deleted. */
  readonly channelOf: (
    accountId: string,
    alertChannelId: number,
  ) => Promise<Pick<AlertChannel, 'type' | 'config'> | null>;
  readonly variablesOf: (accountId: string) => Promise<readonly EnvironmentVariable[]>;
  /** Variables of the check's group; the locked ones of all groups if it has none or was deleted. */
  readonly groupVariablesOf: (accountId: string, checkId: string) => Promise<readonly EnvironmentVariable[]>;
}

/**
 * Creates a redactor from the channel and the variables as they are now, so that values locked later are hidden too.
 */
export function createRedactorOf<Locked>(deps: RedactorDeps<Locked>): RedactorOf {
  return async ({ accountId, alertChannelId, checkId }) => {
    const channel = await deps.channelOf(accountId, alertChannelId);
    const variables = [
      ...(await deps.variablesOf(accountId)),
      ...(checkId === null ? [] : await deps.groupVariablesOf(accountId, checkId)),
    ];
    const { rules } = deps;
    const locked = rules.lockedOf(channel, variables);
    // For a deleted channel, any header may have been locked, so all are redacted.
    const hideHeaders = channel === null;
    const request = (shown: Message): Message => {
      const redacted = rules.redactRequest(shown, locked);
      return hideHeaders ? { ...redacted, headers: masked(redacted.headers) } : redacted;
    };
    const attempt = (shown: Attempt, sent: Message | null): Attempt => {
      const redacted = rules.redactAttempt(shown, sent, locked);
      return hideHeaders ? { ...redacted, headers: masked(redacted.headers) } : redacted;
    };
    const config = channel?.config ?? {};
    // For a deleted channel, the URL may have been secret, so it is redacted.
    const isSecret = channel === null || hasSecretUrl(config);
    const isOwn = hasOwnAuthorization(config);
    const headers = (all: Message['headers']): Message['headers'] =>
      (isOwn ? all : withoutAuthorization(all)).map(([name, value]) => [name, maskAcknowledgeLinks(value)]);
    const address = (shown: Message): Message => ({
      ...shown,
      url: maskAcknowledgeLinks(isSecret ? maskAddress(shown.url) : maskUserInfo(shown.url)),
      headers: headers(shown.headers),
      body: maskAcknowledgeLinks(shown.body),
    });
    return { request, attempt, address, headers };
  };
}

const plain: ReadonlySet<string> = new Set(['content-type', 'user-agent', 'content-length', 'host', 'accept']);

function masked(headers: Message['headers']): Message['headers'] {
  const isPlain = (name: string) => plain.has(name.toLowerCase()) || name.toLowerCase().startsWith('x-service-');
  return headers.map(([name, value]) => [name, isPlain(name) ? value : '********']);
}

/** A configuration whose URL is redacted for callers without write permission. */
export function withoutSecretUrl(config: JsonObject): JsonObject {
  const { url } = config;
  if (typeof url !== 'string') return config;
  return { ...config, url: hasSecretUrl(config) ? maskAddress(url) : maskUserInfo(url) };
}

/** Whether the channel sets this header itself; otherwise it comes from the credentials in the URL. */
function hasOwnAuthorization({ headers }: JsonObject): boolean {
  const pairs = Array.isArray(headers) ? (headers as readonly { readonly key?: unknown }[]) : [];
  return pairs.some(({ key }) => typeof key === 'string' && key.toLowerCase() === 'authorization');
}

function withoutAuthorization(headers: Message['headers']): Message['headers'] {
  return headers.map(([name, value]) => [name, name.toLowerCase() === 'authorization' ? '********' : value]);
}
