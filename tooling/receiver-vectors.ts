// Generates docs/receivers/vectors.json: genuine and manipulated requests with the verdict that a receiver must return for
// each.
import { signatureHeaders, type Signing } from '#channels/kinds/webhook/sign.ts';

/** A request and the expected verdict. */
export interface ReceiverVector {
  readonly name: string;
  /** Secrets known to the receiver, without spaces. */
  readonly secrets: readonly string[];
  /** Time of arrival, epoch ms. */
  readonly nowMs: number;
  /** Lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly verdict: 'genuine' | 'forged' | 'expired';
}

const plain = 'a-long-random-text';
const encoded = `whsec_${Buffer.from('0123456789abcdefghijklmn').toString('base64')}`;
const createdAt = Date.parse('2026-03-10T12:00:05.250Z');
const sentAt = createdAt + 20_500;
const base: Signing = {
  deliveryId: '019cd7b3-2b02-7a55-9d10-6f7a8b9c0d1e',
  createdAt,
  attempt: 2,
  replayOf: null,
  body: '{"ALERT_TYPE":"ALERT_FAILURE","CHECK_NAME":"Cart \\"v2\\""}',
  secret: plain,
  previousSecret: null,
};

interface Change extends Partial<Signing> {
  readonly known?: readonly string[];
  /** From sending to arrival, ms. */
  readonly laterMs?: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The received body if it differs from the one sent. */
  readonly arrives?: string;
}

/** @param change of the request as sent, and as received */
function vector(name: string, verdict: ReceiverVector['verdict'], change: Change = {}): ReceiverVector {
  const { known = [plain], laterMs = 40, headers = {}, arrives, ...signing } = change;
  const sent = { ...base, ...signing };
  const all = { ...Object.fromEntries(signatureHeaders(sent, sentAt)), ...headers };
  const kept = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return {
    name,
    secrets: known,
    nowMs: sentAt + laterMs,
    headers: Object.fromEntries(kept),
    body: arrives ?? sent.body,
    verdict,
  };
}

const rotation = { secret: 'the-new-one', previousSecret: { secret: plain, until: sentAt + 86_400_000 } };
const seconds = Math.floor(sentAt / 1000);

/** All vectors. */
export function receiverVectors(): ReceiverVector[] {
  return [
    vector('unmodified', 'genuine'),
    vector('without a body', 'genuine', { body: '' }),
    vector('a non-ASCII body', 'genuine', { body: 'Zürich ist wieder da: ✓ 🎉\n' }),
    vector('a non-ASCII secret', 'genuine', { secret: 'Schlüssel', known: ['Schlüssel'] }),
    vector('a secret written whsec_ and base64', 'genuine', { secret: encoded, known: [encoded] }),
    vector('a secret with the prefix whsec_ but no base64', 'genuine', {
      secret: 'whsec_not!base64',
      known: ['whsec_not!base64'],
    }),
    vector('a replay', 'genuine', { replayOf: '019cd7b3-0000-7a55-9d10-6f7a8b9c0d1e' }),
    vector('during a rotation, with the old secret', 'genuine', rotation),
    vector('during a rotation, with the new secret', 'genuine', { ...rotation, known: ['the-new-one'] }),
    vector('with two known secrets', 'genuine', { known: ['another-one', plain] }),
    vector('after a rotation, with the old secret only', 'forged', { secret: 'the-new-one' }),
    vector('received five minutes later', 'genuine', { laterMs: 299_000 }),
    vector('received more than five minutes later', 'expired', { laterMs: 301_000 }),
    vector('receiver clock five minutes behind', 'genuine', { laterMs: -298_000 }),
    vector('receiver clock more than five minutes behind', 'expired', { laterMs: -302_000 }),
    vector('another body', 'forged', { arrives: base.body.replace('FAILURE', 'RECOVERY') }),
    vector('another id', 'forged', { headers: { 'webhook-id': '019cd7b3-2b02-7a55-9d10-6f7a8b9c0d1f' } }),
    vector('a different attempt timestamp', 'forged', { headers: { 'webhook-timestamp': String(seconds + 1) } }),
    vector('an old request replayed with the current time', 'forged', {
      laterMs: 600_000,
      headers: { 'webhook-timestamp': String(seconds + 600) },
    }),
    vector('a different secret', 'forged', { known: ['another-one'] }),
    vector('no known secret', 'forged', { known: [] }),
    vector('unsigned', 'forged', { secret: null }),
    vector('only the signature of the body', 'forged', { headers: { 'webhook-signature': undefined } }),
    vector('an empty signature', 'forged', { headers: { 'webhook-signature': '' } }),
    vector('a signature without its version', 'forged', {
      headers: { 'webhook-signature': vector('', 'forged').headers['webhook-signature']?.slice(3) },
    }),
    vector('an unknown signature version beside v1', 'genuine', {
      headers: { 'webhook-signature': `v9,AAAA ${vector('', 'forged').headers['webhook-signature']}` },
    }),
  ];
}

/** The file contents in the formatter's style: short lists on one line. */
export function receiverVectorsText(): string {
  const text = JSON.stringify(receiverVectors(), null, 2);
  const lists = text.replace(/\[\n\s+("[^[\]]*")\n\s+\]/g, (_, items: string) => `[${items.replace(/,\s+/g, ', ')}]`);
  return `${lists}\n`;
}
