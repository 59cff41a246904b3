// The headers that tell a receiver which delivery this is and prove who sent it (spec §6.4, decisions: Webhook delivery;
// what is repeated keeps its id and number: docs/decisions/0012).
import { createHmac } from 'node:crypto';
import type { BinaryLike } from 'node:crypto';

/** What is signed, and with what. */
export interface Signing {
  readonly deliveryId: string;
  /** Epoch ms at which the delivery was created: constant over its retries. */
  readonly createdAt: number;
  /** From 1. */
  readonly attempt: number;
  /** The delivery that this one repeats; null = it is no replay. */
  readonly replayOf: string | null;
  /** The exact body; '' for GET and HEAD. */
  readonly body: string;
  /** null = unsigned. */
  readonly secret: string | null;
  /** The secret before the last rotation and the instant (epoch ms) until which it signs too. */
  readonly previousSecret: { readonly secret: string; readonly until: number } | null;
}

const standardSecret = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

/** A secret written `whsec_` + base64 stands for the decoded bytes; any other text for its UTF-8 bytes. */
function standardKey(secret: string): BinaryLike {
  const encoded = standardSecret.exec(secret)?.[1];
  return encoded ? Buffer.from(encoded, 'base64') : secret;
}

/**
 * The headers of one attempt, lower case.
 * `x-service-signature` and the Standard Webhooks trio come only with a secret. The former carries the new secret's
 * signature alone and its key is the secret's text as it stands; the trio's list also carries the previous secret's
 * while that is valid. `webhook-timestamp` is the attempt's own, because receivers refuse one older than minutes.
 *
 * @param now epoch ms: when the attempt starts
 */
export function signatureHeaders(signing: Signing, now: number): [name: string, value: string][] {
  const { deliveryId, createdAt, attempt, replayOf, body, secret, previousSecret } = signing;
  const headers: [string, string][] = [
    ['x-service-timestamp', String(createdAt)],
    ['x-service-delivery-id', deliveryId],
    ['x-service-attempt', String(attempt)],
  ];
  // A replay has a timestamp of its own, and yet tells of the past: a receiver must be able to see that.
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
