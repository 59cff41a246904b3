// Headers that identify a delivery and prove its origin (spec §6.4, decisions: Webhook delivery). Retries keep the id
// (docs/decisions/0012).
import { createHmac, type BinaryLike } from 'node:crypto';
import type { JsonObject } from '#domain/json.ts';
import type { SecretRules } from '../../kind.ts';

/** Input for the signature. */
export interface Signing {
  readonly deliveryId: string;
  /** Creation time of the delivery in epoch ms; the same for every retry. */
  readonly createdAt: number;
  /** Starts at 1. */
  readonly attempt: number;
  /** The delivery being replayed, or null. */
  readonly replayOf: string | null;
  /** Exact body; '' for GET and HEAD. */
  readonly body: string;
  /** null sends unsigned. */
  readonly secret: string | null;
  /** Previous secret, which also signs until the given time (epoch ms). */
  readonly previousSecret: { readonly secret: string; readonly until: number } | null;
}

const standardSecret = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** Decodes `whsec_` + base64; other secrets are used as UTF-8. */
function standardKey(secret: string): BinaryLike {
  const encoded = standardSecret.exec(secret)?.[1];
  return encoded ? Buffer.from(encoded, 'base64') : secret;
}

/**
 * Returns the headers of one attempt, in lower case. Signatures are included only if a secret is set.
 * `x-service-signature` uses the text of the current secret as its key. `webhook-signature` also lists the previous
 * secret's signature while that is valid. `webhook-timestamp` is the time of the attempt, because receivers reject old
 * timestamps.
 *
 * @param now start of the attempt, epoch ms
 */
export function signatureHeaders(signing: Signing, now: number): [name: string, value: string][] {
  const { deliveryId, createdAt, attempt, replayOf, body, secret, previousSecret } = signing;
  const headers: [string, string][] = [
    ['x-service-timestamp', String(createdAt)],
    ['x-service-delivery-id', deliveryId],
    ['x-service-attempt', String(attempt)],
  ];
  // A replay has a new timestamp but reports a past event; receivers must be able to tell.
  if (replayOf !== null) headers.push(['x-service-replay-of', replayOf]);
  if (secret === null || secret === '') return headers;
  const seconds = String(Math.floor(now / 1000));
  const secrets = previousSecret !== null && previousSecret.until > now ? [secret, previousSecret.secret] : [secret];
  const list = secrets.map((each) => {
    const hmac = createHmac('sha256', standardKey(each)).update(`${deliveryId}.${seconds}.`).update(body);
    return `v1,${hmac.digest('base64')}`;
  });
  headers.push(
    ['x-service-signature', createHmac('sha256', secret).update(body).digest('hex')],
    ['webhook-id', deliveryId],
    ['webhook-timestamp', seconds],
    ['webhook-signature', list.join(' ')],
  );
  return headers;
}

type SigningSecrets = Pick<Signing, 'secret' | 'previousSecret'>;

export function signingSecrets(stored: JsonObject): SigningSecrets {
  const { webhookSecret = null, previousSecret = null } = stored as {
    readonly webhookSecret?: string;
    readonly previousSecret?: NonNullable<SigningSecrets['previousSecret']>;
  };
  return { secret: webhookSecret, previousSecret };
}

/**
 * A new secret may come with `previousSecretUntil` (ISO): the time until which the previous secret also signs. Without
 * a new secret, that field changes the time, or ends it if null.
 */
export const secretRules: SecretRules = {
  stored({ config: { previousSecretUntil, ...config }, secrets }, stored, now) {
    const until = typeof previousSecretUntil === 'string' ? Date.parse(previousSecretUntil) : previousSecretUntil;
    const issue = (message: string) => ({ issue: { path: 'config.previousSecretUntil', message } });
    const [{ secret }, present] = [signingSecrets(secrets), signingSecrets(stored)];
    const kept = { ...(secret !== null && { webhookSecret: secret }) };
    const previous = (previousSecret: SigningSecrets['previousSecret']) => ({
      config,
      secrets: { ...kept, ...(previousSecret !== null && { previousSecret }) },
    });
    if (secret !== present.secret) {
      if (secret === null || present.secret === null || typeof until !== 'number') return previous(null);
      if (until <= now) return issue('must be in the future');
      return previous({ secret: present.secret, until });
    }
    if (typeof until !== 'number') return previous(until === null ? null : present.previousSecret);
    if (present.previousSecret !== null) return previous({ ...present.previousSecret, until });
    return until > now ? issue('requires a new webhookSecret in the same request') : previous(null);
  },
  shown(secrets, now) {
    const { previousSecret } = signingSecrets(secrets);
    const isRotating = previousSecret !== null && previousSecret.until > now;
    return { previousSecretUntil: isRotating ? new Date(previousSecret.until).toISOString() : null };
  },
};
