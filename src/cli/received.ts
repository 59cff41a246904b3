// Judges received webhooks: signature, age, and whether the attempt is a repeat (spec §6.4; docs/webhooks.md).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { withoutControls } from './terminal-text.ts';

/** Verdict on a signature. `unchecked` = no secret is configured, `missing` = the header is absent. */
export type SignatureVerdict = 'genuine' | 'forged' | 'expired' | 'missing' | 'unchecked';

/** A received request. */
export interface Arrived {
  /** Epoch ms. */
  readonly at: number;
  readonly method: string;
  readonly url: string;
  /** Header names are lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Verdict on a request. */
export interface Received {
  /** Epoch ms. */
  readonly at: number;
  readonly method: string;
  readonly url: string;
  readonly deliveryId: string | null;
  readonly attempt: number | null;
  /**
   * Time in ms from the delivery's creation to its arrival; null if `x-service-timestamp` is missing or not a number.
   */
  readonly ageMs: number | null;
  /** Id of the delivery that this one replays. */
  readonly replayOf: string | null;
  /**
   * `first` attempt seen of a delivery; `retry` = a later attempt; `repeat` = an attempt seen before, as after a crash.
   */
  readonly kind: 'first' | 'retry' | 'repeat';
  /** Verdict on `x-service-signature`, made over the body. */
  readonly bodySignature: SignatureVerdict;
  /** Verdict on `webhook-signature`, made over id, time of the attempt and body. */
  readonly standardSignature: SignatureVerdict;
  /** Number of the matching secret, from 1; null = none. */
  readonly secretNumber: number | null;
  readonly body: string;
}

/** Maximum age of an attempt, and maximum clock difference, in ms. */
const toleranceMs = 5 * 60_000;
/** Maximum number of remembered deliveries. */
const maxRemembered = 10_000;

/** Judges each request in the light of earlier ones. @param secrets newest first; empty = signatures are unchecked */
export function createInbox(secrets: readonly string[]): (arrived: Arrived) => Received {
  const seen = new Map<string, Set<number>>();
  const kindOf = (deliveryId: string | null, attempt: number): Received['kind'] => {
    if (deliveryId === null) return 'first';
    const attempts = seen.get(deliveryId);
    if (attempts === undefined) {
      const [oldest] = seen.keys();
      if (oldest !== undefined && seen.size >= maxRemembered) seen.delete(oldest);
      seen.set(deliveryId, new Set([attempt]));
      return 'first';
    }
    const kind = attempts.has(attempt) ? 'repeat' : 'retry';
    attempts.add(attempt);
    return kind;
  };
  return ({ at, method, url, headers, body }) => {
    const header = (name: string): string | null => {
      const value = headers[name];
      return typeof value === 'string' ? value : null;
    };
    const deliveryId = header('x-service-delivery-id');
    const attempt = parseNumber(header('x-service-attempt'));
    const createdAt = parseNumber(header('x-service-timestamp'));
    return {
      at,
      method,
      url,
      deliveryId,
      attempt,
      ageMs: createdAt === null ? null : at - createdAt,
      replayOf: header('x-service-replay-of'),
      kind: kindOf(deliveryId, attempt ?? 0),
      ...signatures(header, body, secrets, at),
      body: body.toString('utf8'),
    };
  };
}

function parseNumber(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

type Signatures = Pick<Received, 'bodySignature' | 'standardSignature' | 'secretNumber'>;

function signatures(
  header: (name: string) => string | null,
  body: Buffer,
  secrets: readonly string[],
  at: number,
): Signatures {
  const given = { body: header('x-service-signature'), standard: header('webhook-signature') };
  const seconds = header('webhook-timestamp') ?? '';
  const byBody = secrets.findIndex((secret) => isSame(given.body ?? '', bodySignatureOf(secret, body)));
  const byStandard = secrets.findIndex((secret) => {
    const expected = standardSignatureOf(secret, `${header('webhook-id') ?? ''}.${seconds}.`, body);
    return (given.standard ?? '').split(' ').some((each) => isSame(each, expected));
  });
  const verdict = (text: string | null, secret: number): SignatureVerdict => {
    if (text === null) return 'missing';
    if (secrets.length === 0) return 'unchecked';
    return secret === -1 ? 'forged' : 'genuine';
  };
  const standard = verdict(given.standard, byStandard);
  const isOld = !(Math.abs(at - Number(seconds) * 1000) <= toleranceMs);
  const found = byStandard === -1 ? byBody : byStandard;
  return {
    bodySignature: verdict(given.body, byBody),
    standardSignature: standard === 'genuine' && isOld ? 'expired' : standard,
    secretNumber: found === -1 ? null : found + 1,
  };
}

function bodySignatureOf(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

const encodedSecret = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4}))$/;

function standardSignatureOf(secret: string, start: string, body: Buffer): string {
  const encoded = encodedSecret.exec(secret)?.[1];
  const key = encoded === undefined ? secret : Buffer.from(encoded, 'base64');
  return `v1,${createHmac('sha256', key).update(start).update(body).digest('base64')}`;
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Text of a verdict for people. @param answer short description of the answer given */
export function receivedText(received: Received, answer: string): string {
  const { at, method, url, deliveryId, attempt, ageMs, replayOf, kind, body } = received;
  const indent = ' '.repeat(14);
  const what = deliveryId === null ? 'no delivery id' : `delivery ${deliveryId}, attempt ${attempt ?? 'unknown'}`;
  const age = ageMs === null ? '' : `, created ${(ageMs / 1000).toFixed(1)} s earlier`;
  const notes = {
    first: [],
    retry: ['retry: an earlier attempt of this delivery was received'],
    repeat: ['REPEAT: this attempt was received before; process each delivery once'],
  }[kind];
  const lines = [
    ...(replayOf === null ? [] : [`replay of delivery ${replayOf}`]),
    ...notes,
    signatureText(received),
    ...(body === '' ? ['no body'] : body.split('\n')),
    `answer: ${answer}`,
  ];
  const clock = new Date(at).toISOString().slice(11, 23);
  return `${[`${clock}  ${method} ${url}  ${what}${age}`, ...lines.map((line) => indent + line)].map(withoutControls).join('\n')}\n`;
}

function signatureText({ bodySignature, standardSignature, secretNumber }: Received): string {
  if (bodySignature === 'missing' && standardSignature === 'missing') return 'unsigned: the channel has no secret';
  if (bodySignature === 'unchecked' || standardSignature === 'unchecked') {
    return 'signed, not verified: --secret is not set';
  }
  const by = secretNumber === null ? '' : `, by secret ${secretNumber}`;
  return `x-service-signature ${bodySignature}, webhook-signature ${standardSignature}${by}`;
}
