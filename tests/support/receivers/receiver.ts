// A receiver of webhooks that does what the specification asks of one: it recomputes the signature over the raw bytes.
import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Answer, type Cleanup, type Hit, startScriptedServer } from '../targets/scripted-server.ts';
import { until } from '../until.ts';

/** A delivery as it arrived, its signature found to be right. */
export interface Message {
  readonly hit: Hit;
  readonly text: string;
  /** The body where it is JSON. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly deliveryId: string;
  readonly attempt: number;
  /** `x-service-timestamp`, epoch ms. */
  readonly timestamp: number;
}

export interface Receiver {
  readonly url: string;
  readonly all: readonly Message[];
  /** How deliveries are answered from now on. */
  answer(how: Answer | ((message: Message, before: number) => Answer)): void;
  /** The first delivery that is wanted, when it has come; fails with a list of those that came instead. */
  received(wanted: (message: Message) => boolean, withinMs?: number): Promise<Message>;
  /** The first delivery with that ALERT_TYPE. */
  alert(type: string, withinMs?: number): Promise<Message>;
}

/** Starts a receiver. A delivery whose signature is wrong or missing is answered 400 and is none (spec §6.4). */
export async function startReceiver(t: Cleanup, secret: string): Promise<Receiver> {
  const server = await startScriptedServer(t);
  const all: Message[] = [];
  const refused: string[] = [];
  let how: (message: Message, before: number) => Answer = () => ({ status: 200 });
  server.answer((hit) => {
    const signature = hit.headers['x-service-signature'];
    if (typeof signature !== 'string' || !isRight(hit.body, signature, secret)) {
      refused.push(`${hit.method} ${hit.url} signed ${String(signature)}`);
      return { status: 400 };
    }
    const message = messageOf(hit);
    const given = how(message, all.length);
    all.push(message);
    return given;
  });
  const seen = (): string =>
    [...all.map((message) => `${message.deliveryId} attempt ${message.attempt}: ${message.text}`), ...refused].join(
      '\n',
    ) || 'nothing came';
  const received: Receiver['received'] = (wanted, withinMs = 30_000) =>
    until('a delivery', () => all.find(wanted), { withinMs, seen });
  return {
    url: server.url,
    all,
    answer: (given) => {
      how = typeof given === 'function' ? given : () => given;
    },
    received,
    alert: (type, withinMs) => received(({ json }) => json['ALERT_TYPE'] === type, withinMs),
  };
}

function isRight(body: Buffer, signature: string, secret: string): boolean {
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function messageOf(hit: Hit): Message {
  const text = hit.body.toString();
  let json: Record<string, unknown> = {};
  try {
    json = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Templates need not make JSON.
  }
  const header = (name: string): string => {
    const value = hit.headers[name];
    assert.ok(typeof value === 'string', `${name} is missing`);
    return value;
  };
  return {
    hit,
    text,
    json,
    deliveryId: header('x-service-delivery-id'),
    attempt: Number(header('x-service-attempt')),
    timestamp: Number(header('x-service-timestamp')),
  };
}
