// docs/receivers/vectors.json: requests as our sender signs them, and as somebody else would change them, each with the verdict
// that a receiver must come to.
import { signatureHeaders, type Signing } from '#channels/kinds/webhook/sign.ts';

/** One request and what a receiver must say of it. */
export interface ReceiverVector {
  readonly name: string;
  /** What the receiver knows; none holds a space. */
  readonly secrets: readonly string[];
  /** When it arrives, epoch ms. */
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
  /** From the sending to the arrival, ms. */
  readonly laterMs?: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The body that arrives, when it is not the one that was sent. */
  readonly arrives?: string;
}

/** @param change of what is sent, and then of what arrives */
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

/** Every vector. */
export function receiverVectors(): ReceiverVector[] {
  return [
    vector('as it is sent', 'genuine'),
    vector('without a body', 'genuine', { body: '' }),
    vector('a body beyond ASCII', 'genuine', { body: 'Zürich ist wieder da: ✓ 🎉\n' }),
    vector('a secret beyond ASCII', 'genuine', { secret: 'Schlüssel', known: ['Schlüssel'] }),
    vector('a secret written whsec_ and base64', 'genuine', { secret: encoded, known: [encoded] }),
    vector('a secret that only begins with whsec_', 'genuine', {
      secret: 'whsec_not!base64',
      known: ['whsec_not!base64'],
    }),
    vector('a replay', 'genuine', { replayOf: '019cd7b3-0000-7a55-9d10-6f7a8b9c0d1e' }),
    vector('during a rotation, to who knows the old secret', 'genuine', rotation),
    vector('during a rotation, to who knows the new secret', 'genuine', { ...rotation, known: ['the-new-one'] }),
    vector('to who knows two secrets', 'genuine', { known: ['another-one', plain] }),
    vector('after a rotation, to who knows the old secret only', 'forged', { secret: 'the-new-one' }),
    vector('five minutes on its way', 'genuine', { laterMs: 299_000 }),
    vector('more than five minutes on its way', 'expired', { laterMs: 301_000 }),
    vector('to a clock that is five minutes behind', 'genuine', { laterMs: -298_000 }),
    vector('to a clock that is further behind', 'expired', { laterMs: -302_000 }),
    vector('another body', 'forged', { arrives: base.body.replace('FAILURE', 'RECOVERY') }),
    vector('another id', 'forged', { headers: { 'webhook-id': '019cd7b3-2b02-7a55-9d10-6f7a8b9c0d1f' } }),
    vector('another time of the attempt', 'forged', { headers: { 'webhook-timestamp': String(seconds + 1) } }),
    vector('an old request sent again with the time of now', 'forged', {
      laterMs: 600_000,
      headers: { 'webhook-timestamp': String(seconds + 600) },
    }),
    vector('the secret of somebody else', 'forged', { known: ['another-one'] }),
    vector('no secret at all', 'forged', { known: [] }),
    vector('unsigned', 'forged', { secret: null }),
    vector('the signature of the body alone', 'forged', { headers: { 'webhook-signature': undefined } }),
    vector('an empty signature', 'forged', { headers: { 'webhook-signature': '' } }),
    vector('a signature without its version', 'forged', {
      headers: { 'webhook-signature': vector('', 'forged').headers['webhook-signature']?.slice(3) },
    }),
    vector('a version that nobody knows beside ours', 'genuine', {
      headers: { 'webhook-signature': `v9,AAAA ${vector('', 'forged').headers['webhook-signature']}` },
    }),
  ];
}

/** The file, as the formatter wants it: short lists on one line. */
export function receiverVectorsText(): string {
  const text = JSON.stringify(receiverVectors(), null, 2);
  const lists = text.replace(/\[\n\s+("[^[\]]*")\n\s+\]/g, (_, items: string) => `[${items.replace(/,\s+/g, ', ')}]`);
  return `${lists}\n`;
}
