// What can be said of a webhook that has come: who signed it, how old it is, and whether it came before (spec §6.4; docs/webhooks.md).
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What is found of a signature; `unchecked` = no secret is known, `missing` = there is none. */
export type SignatureVerdict = 'genuine' | 'forged' | 'expired' | 'missing' | 'unchecked';

/** A request as it came. */
export interface Arrived {
  /** Epoch ms. */
  readonly at: number;
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** What is said of it. */
export interface Received {
  /** Epoch ms. */
  readonly at: number;
  readonly method: string;
  readonly url: string;
  readonly deliveryId: string | null;
  readonly attempt: number | null;
  /** From the delivery's creation to its arrival, ms; null where `x-service-timestamp` is missing or no number. */
  readonly ageMs: number | null;
  /** The delivery that this one repeats. */
  readonly replayOf: string | null;
  /**
   * `first` of its delivery; `retry` = a later attempt; `repeat` = an attempt that came before, as after a crash.
   */
  readonly kind: 'first' | 'retry' | 'repeat';
  /** Of `x-service-signature`: the body alone. */
  readonly bodySignature: SignatureVerdict;
  /** Of `webhook-signature`: id, time of the attempt and body. */
  readonly standardSignature: SignatureVerdict;
  /** Which of the secrets it was, from 1; null = none. */
  readonly secretNumber: number | null;
  readonly body: string;
}

/** How old an attempt may be, and how far the clocks may be apart, ms. */
const toleranceMs = 5 * 60_000;
/** Deliveries that are remembered. */
const rememberedMost = 10_000;

/** Says of each request what it is, knowing those that came before. @param secrets the newest first; none = unchecked */
export function createInbox(secrets: readonly string[]): (arrived: Arrived) => Received {
  const seen = new Map<string, Set<number>>();
  const kindOf = (deliveryId: string | null, attempt: number): Received['kind'] => {
    if (deliveryId === null) return 'first';
    const attempts = seen.get(deliveryId);
    if (attempts === undefined) {
      const [oldest] = seen.keys();
      if (oldest !== undefined && seen.size >= rememberedMost) seen.delete(oldest);
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
    const attempt = numberOf(header('x-service-attempt'));
    const createdAt = numberOf(header('x-service-timestamp'));
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

function numberOf(text: string | null): number | null {
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

/** What a terminal could take for an order to itself becomes visible instead: bodies are text of strangers. */
export function withoutControls(text: string): string {
  return text.replace(
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What a person reads of it. @param answer what it is answered, in a word or two */
export function receivedText(received: Received, answer: string): string {
  const { at, method, url, deliveryId, attempt, ageMs, replayOf, kind, body } = received;
  const indent = ' '.repeat(14);
  const what = deliveryId === null ? 'no delivery id' : `delivery ${deliveryId}, attempt ${attempt ?? 'unknown'}`;
  const age = ageMs === null ? '' : `, made ${(ageMs / 1000).toFixed(1)} s before`;
  const notes = {
    first: [],
    retry: ['a retry: this delivery came before, with a smaller number of the attempt'],
    repeat: ['a REPEAT: this very attempt came before; act on a delivery once'],
  }[kind];
  const lines = [
    ...(replayOf === null ? [] : [`a replay of ${replayOf}: it tells of the past`]),
    ...notes,
    signatureText(received),
    ...(body === '' ? ['no body'] : body.split('\n')),
    `answered: ${answer}`,
  ];
  const clock = new Date(at).toISOString().slice(11, 23);
  return `${[`${clock}  ${method} ${url}  ${what}${age}`, ...lines.map((line) => indent + line)].map(withoutControls).join('\n')}\n`;
}

function signatureText({ bodySignature, standardSignature, secretNumber }: Received): string {
  if (bodySignature === 'missing' && standardSignature === 'missing') return 'unsigned: the channel has no secret';
  if (bodySignature === 'unchecked' || standardSignature === 'unchecked') {
    return 'signed, and not checked: no --secret was given';
  }
  const by = secretNumber === null ? '' : `, by secret ${secretNumber}`;
  return `x-service-signature ${bodySignature}, webhook-signature ${standardSignature}${by}`;
}
