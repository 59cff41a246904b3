// The sending thread. It signs, connects, sends and reads responses off the main thread (docs/decisions/0030).
import { errorMessage } from '#lib/errors.ts';
import { parentPort, workerData } from 'node:worker_threads';
import type { ChannelSender, Sending } from '../kind.ts';
import { sendingKinds } from '../registry.ts';
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import type { Gateways } from '#domain/deliveries/gateways.ts';
import { createGuard, type EgressPolicy } from '#egress/guard.ts';
import { everyNetwork } from '#egress/address-class.ts';

/** Start data of the thread. */
export interface SenderSettings {
  readonly egress: EgressPolicy;
  readonly gateways: Gateways;
  /** CA certificates (PEM) trusted besides those of Node.js. */
  readonly extraCertificates: readonly string[];
  /** Milliseconds from the start of an attempt to the last byte of the response. */
  readonly deadlineMs: number;
}

/** Message to the thread: attempts by number. Batched because each message is expensive. */
export interface ToSender {
  readonly numbers: number[];
  readonly sendings: Sending[];
}

/** Message from the thread: outcomes by number. */
export interface FromSender {
  readonly numbers: number[];
  readonly outcomes: SendOutcome[];
}

const { egress, gateways, extraCertificates, deadlineMs } = workerData as SenderSettings;
const options = {
  guard: createGuard(egress),
  // Accounts do not choose these services, so the policy does not apply to them; Tocsin's own places stay closed.
  operatorGuard: createGuard({ ...egress, allow: everyNetwork }),
  gateways,
  extraCertificates,
  deadlineMs,
};
/** Senders by channel type, created at the start so that the first alert does not wait. */
const senders: ReadonlyMap<string, Promise<ChannelSender>> = new Map(
  sendingKinds.map(({ type, loadSender }) => [type, loadSender().then((create) => create(options))]),
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

/** An unexpected error would repeat on every retry, so it counts as an attempt. */
async function outcomeOf(sending: Sending): Promise<SendOutcome> {
  try {
    const sender = await senders.get(sending.type);
    if (sender === undefined) throw new Error(`there are no channels of the type ${sending.type}`);
    return await sender.send(sending);
  } catch (cause) {
    const { startedAt, request } = sending;
    const message = `the attempt could not be made: ${errorMessage(cause)}`;
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
