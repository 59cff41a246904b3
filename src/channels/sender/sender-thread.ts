// The sending thread: it signs, connects, sends and reads answers, so that the path's own thread does not (docs/decisions/0030).
import { parentPort, workerData } from 'node:worker_threads';
import type { ChannelKind, ChannelSender, Sending } from '../kind.ts';
import { channelKinds } from '../registry.ts';
import type { SendOutcome } from '#domain/alerts/delivery.ts';
import { createGuard, type EgressPolicy } from '#egress/guard.ts';

/** What the thread is started with. */
export interface SenderSettings {
  readonly egress: EgressPolicy;
  /** CA certificates (PEM) trusted besides those of Node.js. */
  readonly extraCertificates: readonly string[];
  /** From the start of an attempt to the answer's last byte, ms. */
  readonly deadlineMs: number;
}

/** To the thread: attempts to make, by number; many to a message, because each message costs. */
export interface ToSender {
  readonly numbers: number[];
  readonly sendings: Sending[];
}

/** From the thread: what came of attempts, by their number. */
export interface FromSender {
  readonly numbers: number[];
  readonly outcomes: SendOutcome[];
}

const { egress, extraCertificates, deadlineMs } = workerData as SenderSettings;
const options = { guard: createGuard(egress), extraCertificates, deadlineMs };
/** By the type of channel; made at the start, so that the first alert does not wait for it. */
const senders: ReadonlyMap<string, Promise<ChannelSender>> = new Map(
  channelKinds.map(({ type, loadSender }: ChannelKind) => [type, loadSender().then((create) => create(options))]),
);
let ended: FromSender = { numbers: [], outcomes: [] };

parentPort?.on('message', ({ numbers, sendings }: ToSender) => {
  for (const [index, sending] of sendings.entries()) {
    const number = numbers[index];
    if (number !== undefined) void send(number, sending);
  }
});

async function send(number: number, sending: Sending): Promise<void> {
  const outcome = await outcomeOf(sending);
  if (ended.numbers.length === 0) setImmediate(handIn);
  ended.numbers.push(number);
  ended.outcomes.push(outcome);
}

/** What throws here would throw at every repeat: it counts as an attempt, and holds up no other. */
async function outcomeOf(sending: Sending): Promise<SendOutcome> {
  try {
    const sender = await senders.get(sending.type);
    if (sender === undefined) throw new Error(`there are no channels of the type ${sending.type}`);
    return await sender.send(sending);
  } catch (cause) {
    const { startedAt, request } = sending;
    const message = `the attempt could not be made: ${cause instanceof Error ? cause.message : String(cause)}`;
    return {
      startedAt,
      durationMs: 0,
      headers: request.headers,
      response: null,
      error: { class: 'protocol', message },
    };
  }
}

function handIn(): void {
  parentPort?.postMessage(ended);
  ended = { numbers: [], outcomes: [] };
}
