// A receiver of Tocsin's webhooks: verifies, answers at once, acts on each delivery once and on none that is late.
// Node.js 24, no packages: SECRET='…' PORT=8080 node receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

/** Headers in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;
export type Verdict = 'genuine' | 'forged' | 'expired';
export type Outcome = 'accepted' | 'repeated' | 'late' | 'replay' | 'forged' | 'expired';

/** How far the clocks may be apart, and how long an attempt may be on its way, ms. */
const toleranceMs = 5 * 60_000;
/** Ids that are remembered. */
const maxIds = 10_000;
const maxBody = 1_000_000;

/** Whether one of our secrets signed this body, with its id and the time of the attempt, and not too long ago. */
export function verify(headers: Headers, body: Buffer, secrets: readonly string[], nowMs: number): Verdict {
  const { 'webhook-id': id = '', 'webhook-timestamp': seconds = '', 'webhook-signature': list = '' } = headers;
  const given = list.split(' ').map((each) => Buffer.from(each));
  const isSigned = secrets.some((secret) => {
    const hmac = createHmac('sha256', keyOf(secret)).update(`${id}.${seconds}.`).update(body);
    const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
    return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
  });
  if (!isSigned) return 'forged';
  return Math.abs(nowMs - Number(seconds) * 1000) <= toleranceMs ? 'genuine' : 'expired';
}

/** A secret written whsec_ and base64 stands for the decoded bytes, any other text for itself. */
function keyOf(secret: string): string | Buffer {
  const isEncoded = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(
    secret,
  );
  return isEncoded ? Buffer.from(secret.slice(6), 'base64') : secret;
}

/** What has come. In production keep this in your database: it has to outlive a restart. */
export class Inbox {
  readonly #secrets: readonly string[];
  readonly #ids = new Set<string>();
  readonly #newest = new Map<string, number>();

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  take(headers: Headers, body: Buffer, nowMs: number): Outcome {
    const verdict = verify(headers, body, this.#secrets, nowMs);
    if (verdict !== 'genuine') return verdict;
    const id = headers['webhook-id'] ?? '';
    if (this.#ids.has(id)) return 'repeated';
    this.#ids.add(id);
    const [oldest = ''] = this.#ids;
    if (this.#ids.size > maxIds) this.#ids.delete(oldest);
    // A replay tells of the past: it moves nothing.
    if (headers['x-service-replay-of'] !== undefined) return 'replay';
    // Set by the channel: {"key": "x-check-id", "value": "{{CHECK_ID}}"}.
    const check = headers['x-check-id'] ?? '';
    const createdMs = Number(headers['x-service-timestamp']);
    if (createdMs < (this.#newest.get(check) ?? 0)) return 'late';
    this.#newest.set(check, createdMs);
    return 'accepted';
  }
}

/** What you do about an alert. It runs after the answer: Tocsin waits 30 s at most, and then sends again. */
function act(outcome: Outcome, headers: Headers, body: Buffer): void {
  console.log(JSON.stringify({ outcome, id: headers['webhook-id'], bytes: body.length }));
}

if (import.meta.main) {
  const inbox = new Inbox((process.env['SECRET'] ?? '').split(' ').filter((secret) => secret !== ''));
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBody) request.destroy();
      else chunks.push(chunk);
    });
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const headers = request.headers as Headers;
      const outcome = inbox.take(headers, body, Date.now());
      response.writeHead(outcome === 'forged' || outcome === 'expired' ? 400 : 200).end();
      setImmediate(act, outcome, headers, body);
    });
  });
  server.listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1', () => console.log('listening'));
}
