// Headers that identify a delivery and prove its origin (spec §6.4, decisions: Webhook delivery). Retries keep the id
// (docs/decisions/0012).
import { createHmac } from 'node:crypto';
import type { BinaryLike } from 'node:crypto';

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
