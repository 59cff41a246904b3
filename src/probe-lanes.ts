// What a process knows of each of its probe threads: definitions sent, probes under way, what is to be sent next.
import type { Exchanged, ProbeInput } from '#domain/probe.ts';
import { bareFinding, type Finding } from '#domain/result.ts';
import type { FromThread, ToThread } from './probe-messages.ts';

/** Definitions a thread keeps; the least recently used one goes first. */
const keptDefinitions = 20_000;

interface Pending {
  readonly startedAt: number;
  readonly resolve: (exchanged: Exchanged) => void;
}

/** One thread, seen from outside. */
export interface Lane {
  /** Revision by check id, the least recently used first. */
  readonly known: Map<string, number>;
  readonly pending: Map<number, Pending>;
  outbox: ToThread;
  isFlushing: boolean;
  loopDelayMs: number;
}

/** Tells the thread of an input it does not know, and makes room for it. */
export function define({ known, outbox }: Lane, input: ProbeInput): void {
  const { id } = input.check;
  const revision = known.get(id);
  known.delete(id);
  known.set(id, input.revision);
  if (revision === input.revision) return;
  outbox.define.push(input);
  if (known.size <= keptDefinitions) return;
  const [oldest] = known.keys();
  if (oldest === undefined) return;
  known.delete(oldest);
  outbox.forget.push(oldest);
}

/** Hands out the findings of a message. */
export function settle(lane: Lane, { numbers, findings, answers, loopDelayMs }: FromThread): void {
  lane.loopDelayMs = loopDelayMs;
  const answerOf = new Map(answers.map(({ number, answer }) => [number, answer]));
  for (const [index, number] of numbers.entries()) {
    const pending = lane.pending.get(number);
    const finding = findings[index];
    lane.pending.delete(number);
    if (finding !== undefined) pending?.resolve({ finding, answer: answerOf.get(number) ?? null });
  }
}

/** All that was sent to a thread that is gone; what waits to be sent to the next one stays. */
export function giveBack(lane: Lane, message: string): void {
  const unsent = new Set([...lane.outbox.numbers, ...lane.outbox.halves.map(({ number }) => number)]);
  const defined = new Set(lane.outbox.define.map(({ check }) => check.id));
  for (const id of lane.known.keys()) if (!defined.has(id)) lane.known.delete(id);
  for (const [number, { resolve }] of lane.pending) {
    if (unsent.has(number)) continue;
    lane.pending.delete(number);
    resolve({ finding: crashed(message), answer: null });
  }
}

/** The thread of a check: always the same, so that its definition is kept once. */
export function laneOf(checkId: string, size: number): number {
  if (size === 1) return 0;
  let sum = 0;
  for (let index = 0; index < checkId.length; index++) sum = (sum * 31 + checkId.charCodeAt(index)) >>> 0;
  return sum % size;
}

/** A thread that knows nothing yet. */
export function newLane(): Lane {
  return { known: new Map(), pending: new Map(), outbox: emptyOutbox(), isFlushing: false, loopDelayMs: 0 };
}

/** Nothing to send. */
export function emptyOutbox(): ToThread {
  return { define: [], forget: [], numbers: [], checkIds: [], halves: [], stop: [] };
}

/** Whether there is nothing to send. */
export function isEmpty({ numbers, halves, stop }: ToThread): boolean {
  return numbers.length === 0 && halves.length === 0 && stop.length === 0;
}

/** The finding of a probe that could not be brought to its end. */
export function crashed(message: string): Finding {
  return bareFinding(Date.now(), { verdict: 'unknown', reason: 'crashed', message });
}
