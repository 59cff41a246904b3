// The secret of a channel: masked on its way out, kept or rotated on its way in (decisions: Secret).
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { JsonObject } from '#domain/json.ts';
import { mask } from '../masking.ts';
import { invalidField } from '../refusal.ts';

/** Both secrets of a channel. */
export type ChannelSecrets = Pick<AlertChannel, 'secret' | 'previousSecret'>;

/** The configuration without what is kept apart from it. */
export function configApart(config: JsonObject): JsonObject {
  const { webhookSecret: _secret, previousSecretUntil: _until, ...rest } = config;
  return rest;
}

/**
 * The secrets that a written configuration means. `webhookSecret` absent or masked keeps the secret, null or an empty
 * text removes it, another text takes its place; the old one then signs on until `previousSecretUntil` (an ISO instant),
 * or not at all. Without a new secret `previousSecretUntil` moves or, as null, ends that time.
 *
 * @param now epoch ms
 */
export function secretsMeant(config: JsonObject, present: ChannelSecrets, now: number): ChannelSecrets {
  const until = untilOf(config);
  const written = config['webhookSecret'];
  if (written === undefined || written === mask || written === present.secret) {
    if (written === mask && present.secret === null) {
      throw invalidField('config.webhookSecret', `is required: ${mask} is only the placeholder of a stored secret`);
    }
    return { secret: present.secret, previousSecret: previousKept(present, until, now) };
  }
  const secret = typeof written === 'string' && written !== '' ? written : null;
  if (secret === null || present.secret === null || until === null || until === undefined) {
    return { secret, previousSecret: null };
  }
  if (until <= now) throw invalidField('config.previousSecretUntil', 'must be in the future');
  return { secret, previousSecret: { secret: present.secret, until } };
}

function previousKept({ previousSecret }: ChannelSecrets, until: number | null | undefined, now: number) {
  if (until === undefined || previousSecret === null) {
    if (until !== undefined && until !== null && until > now) {
      throw invalidField('config.previousSecretUntil', 'requires a new webhookSecret in the same request');
    }
    return previousSecret;
  }
  return until === null ? null : { ...previousSecret, until };
}

function untilOf(config: JsonObject): number | null | undefined {
  const text = config['previousSecretUntil'];
  if (text === null || text === undefined) return text;
  const at = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw invalidField('config.previousSecretUntil', 'must be an ISO 8601 timestamp, such as 2026-01-31T12:00:00.000Z');
  }
  return at;
}

/** The configuration as it is shown: the secret masked, the end of the previous one while that is to come. */
export function shownConfig({ config, secret, previousSecret }: AlertChannel, now: number): JsonObject {
  const isRotating = previousSecret !== null && previousSecret.until > now;
  return {
    ...config,
    webhookSecret: secret === null ? null : mask,
    previousSecretUntil: isRotating ? new Date(previousSecret.until).toISOString() : null,
  };
}
