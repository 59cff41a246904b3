// What a process knows of each of its probe threads: definitions sent, probes under way, what is to be sent next.
import type { Exchanged, ProbeInput } from '#domain/probe.ts';
import { bareFinding, type Finding } from '#domain/result.ts';
import { intervalMs } from '#domain/slot.ts';
import type { FromThread, ToThread } from './probe-messages.ts';

/** Definitions a thread keeps: about 4 kB each, with what is made of them. */
const keptDefinitions = 30_000;
/** One that was not asked for this long makes room for another, ms; sooner after two intervals of its check. */
const unusedMostMs = 20 * 60_000;

interface Pending {
  readonly startedAt: number;
  readonly resolve: (exchanged: Exchanged) => void;
}

/** A definition that a thread keeps. */
interface Known {
  readonly revision: number;
  /** Until when it is expected to be asked for again, ms of the monotonic clock. */
  readonly expectedTo: number;
}

/** One thread, seen from outside. */
export interface Lane {
  /** By check id, the least recently used first. */
  readonly known: Map<string, Known>;
  readonly pending: Map<number, Pending>;
  outbox: ToThread;
  isFlushing: boolean;
  loopDelayMs: number;
}

/**
 * Hands a probe over: by the name of its check where the thread keeps the definition, or has room to. Of more checks than it
 * keeps, those that it keeps stay while they are asked for: the least recently used one would always be the next that is
 * needed, and each definition would be remembered for nothing. The others travel with each of their probes.
 *
 * @param now ms of the monotonic clock
 */
export function handProbe({ known, outbox }: Lane, number: number, input: ProbeInput, now: number): void {
  const { id, frequency, frequencyOffset } = input.check;
  const revision = known.get(id)?.revision;
  if (revision === undefined && !hasRoom(known, outbox, now)) {
    outbox.strangers.push({ number, input });
    return;
  }
  const unusedMs = Math.min(unusedMostMs, 2 * intervalMs(frequency, frequencyOffset));
  known.delete(id);
  known.set(id, { revision: input.revision, expectedTo: now + unusedMs });
  if (revision !== input.revision) outbox.define.push(input);
  outbox.numbers.push(number);
  outbox.checkIds.push(id);
}

/** Whether one more can be kept, once one that nobody needs any more is forgotten. */
function hasRoom(known: Lane['known'], outbox: ToThread, now: number): boolean {
  if (known.size < keptDefinitions) return true;
  const [oldest] = known;
  if (oldest === undefined || oldest[1].expectedTo > now) return false;
  known.delete(oldest[0]);
  outbox.forget.push(oldest[0]);
  return true;
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
  const unsent = new Set([
    ...lane.outbox.numbers,
    ...[...lane.outbox.strangers, ...lane.outbox.halves].map(({ number }) => number),
  ]);
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
  return { define: [], forget: [], numbers: [], checkIds: [], strangers: [], halves: [], stop: [] };
}

/** Whether there is nothing to send. */
export function isEmpty({ numbers, strangers, halves, stop }: ToThread): boolean {
  return numbers.length + strangers.length + halves.length + stop.length === 0;
}

/** The finding of a probe that could not be brought to its end. */
export function crashed(message: string): Finding {
  return bareFinding(Date.now(), { verdict: 'unknown', reason: 'crashed', message });
}
