// What of a delivery may be shown: locked headers, query parameters and variables are hidden wherever they stand.
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { Attempt, Delivery, Message } from '#domain/alerts/delivery.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { JsonObject } from '#domain/json.ts';
import { hasSecretUrl, maskAddress, maskUserInfo } from '#domain/alerts/shown-url.ts';

/** Copies that may be shown. */
export interface Redactor {
  readonly request: (request: Message) => Message;
  readonly attempt: (attempt: Attempt, request: Message | null) => Attempt;
  /** The same for those who may not write: without an address that is a secret, and without credentials from it. */
  readonly address: (request: Message) => Message;
  readonly headers: (headers: Message['headers']) => Message['headers'];
}

/** Finds what holds for a delivery. */
export type RedactorOf = (delivery: Pick<Delivery, 'accountId' | 'alertChannelId' | 'checkId'>) => Promise<Redactor>;

/** What is hidden of a channel's deliveries; what is called locked is its own affair. */
export interface RedactingRules<Locked> {
  /** null = the channel is gone. */
  lockedOf(channel: Pick<AlertChannel, 'type' | 'config'> | null, variables: readonly EnvironmentVariable[]): Locked;
  redactRequest(request: Message, locked: Locked): Message;
  redactAttempt<A extends Attempt>(attempt: A, request: Message | null, locked: Locked): A;
}

/** What finding it needs. */
export interface RedactorMeans<Locked> {
  readonly rules: RedactingRules<Locked>;
  /** null = it is gone. */
  readonly channelOf: (
    accountId: string,
    alertChannelId: number,
  ) => Promise<Pick<AlertChannel, 'type' | 'config'> | null>;
  readonly variablesOf: (accountId: string) => Promise<readonly EnvironmentVariable[]>;
  /** Of the group of a check; the locked ones of all groups when it has no group or is gone. */
  readonly groupVariablesOf: (accountId: string, checkId: string) => Promise<readonly EnvironmentVariable[]>;
}

/** A redactor by the channel and the variables as they are now: what was locked later is hidden from then on. */
export function createRedactorOf<Locked>(means: RedactorMeans<Locked>): RedactorOf {
  return async ({ accountId, alertChannelId, checkId }) => {
    const channel = await means.channelOf(accountId, alertChannelId);
    const variables = [
      ...(await means.variablesOf(accountId)),
      ...(checkId === null ? [] : await means.groupVariablesOf(accountId, checkId)),
    ];
    const { rules } = means;
    const locked = rules.lockedOf(channel, variables);
    // Of a channel that is gone nobody knows any more which headers were locked: all of them are.
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
    // Of a channel that is gone nobody knows any more whether its address was a secret.
    const isSecret = channel === null || hasSecretUrl(config);
    const headers = hasOwnAuthorization(config) ? (all: Message['headers']) => all : withoutAuthorization;
    const address = (shown: Message): Message => ({
      ...shown,
      url: isSecret ? maskAddress(shown.url) : maskUserInfo(shown.url),
      headers: headers(shown.headers),
    });
    return { request, attempt, address, headers };
  };
}

const plain: ReadonlySet<string> = new Set(['content-type', 'user-agent', 'content-length', 'host', 'accept']);

function masked(headers: Message['headers']): Message['headers'] {
  const isPlain = (name: string) => plain.has(name.toLowerCase()) || name.toLowerCase().startsWith('x-service-');
  return headers.map(([name, value]) => [name, isPlain(name) ? value : '********']);
}

/** A configuration as those who may not write see it, as far as its URL goes. */
export function withoutSecretUrl(config: JsonObject): JsonObject {
  const { url } = config;
  if (typeof url !== 'string') return config;
  return { ...config, url: hasSecretUrl(config) ? maskAddress(url) : maskUserInfo(url) };
}

/** Whether the channel sets that header itself; otherwise it is made of the URL's user info. */
function hasOwnAuthorization({ headers }: JsonObject): boolean {
  const pairs = Array.isArray(headers) ? (headers as readonly { readonly key?: unknown }[]) : [];
  return pairs.some(({ key }) => typeof key === 'string' && key.toLowerCase() === 'authorization');
}

function withoutAuthorization(headers: Message['headers']): Message['headers'] {
  return headers.map(([name, value]) => [name, name.toLowerCase() === 'authorization' ? '********' : value]);
}
