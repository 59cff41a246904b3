// What a process knows of each of its probe threads: definitions sent, probes under way, what is to be sent next.
import { isDeepStrictEqual } from 'node:util';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import { type Exchanged, type ProbeInput, type ThreadInput, threadInputOf } from '#domain/checks/probe.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';
import { intervalMs } from '#domain/checks/slot.ts';
import { createKeptUsed, type KeptUsed } from '#lib/kept-used.ts';
import type { FromThread, ToThread } from './probe-messages.ts';

/** Definitions a thread keeps, characters of their text together: some 150,000 to 200,000 of checks with a few assertions. */
const keptMost = 120_000_000;
/** One that was not asked for this long makes room for another, ms; sooner after two intervals of its check. */
const unusedMostMs = 20 * 60_000;

/** One thread, seen from outside. */
export interface Lane {
  /** Revisions of the definitions that it keeps, by check id. */
  readonly known: KeptUsed<number>;
  /** Client certificates that it has, by account; those without any are left out. */
  readonly certificates: Map<string, readonly ClientIdentity[]>;
  outbox: ToThread;
  loopDelayMs: number;
}

/**
 * Hands a probe over: by the name of its check where the thread keeps the definition, or has room to. The others travel with
 * each of their probes.
 *
 * @param now ms of the monotonic clock
 */
export function handProbe({ known, outbox }: Lane, number: number, input: ProbeInput, now: number): void {
  const { revision, check } = input;
  if (input.isOneOff === true) {
    outbox.strangers.push({ number, accountId: check.accountId, text: JSON.stringify(threadInputOf(input)) });
    return;
  }
  const { id, frequency, frequencyOffset } = check;
  const expectedTo = now + Math.min(unusedMostMs, 2 * intervalMs(frequency, frequencyOffset));
  if (known.use(id, expectedTo) !== revision) {
    const text = JSON.stringify(threadInputOf(input));
    if (!known.keep(id, { value: revision, size: text.length, expectedTo }, now)) {
      outbox.strangers.push({ number, accountId: check.accountId, text });
      return;
    }
    outbox.define.push({ checkId: id, text });
    outbox.forget.delete(id);
  }
  outbox.numbers.push(number);
  outbox.checkIds.push(id);
  outbox.accountIds.push(check.accountId);
}

/** Sends the thread the client certificates of an account, unless it has them. */
export function tellCertificates(
  { certificates, outbox }: Lane,
  { check: { accountId }, clientCertificates = [] }: ThreadInput,
): void {
  const known = certificates.get(accountId);
  if (known === clientCertificates || (known === undefined && clientCertificates.length === 0)) return;
  // Read anew after any change of the account: the thread keeps what it has made of those that are the same.
  if (known !== undefined && isDeepStrictEqual(known, clientCertificates)) {
    certificates.set(accountId, clientCertificates);
    return;
  }
  outbox.certificates.set(accountId, clientCertificates);
  if (clientCertificates.length === 0) certificates.delete(accountId);
  else certificates.set(accountId, clientCertificates);
}

/** Reads a message of the thread: findings by the number of their probe. */
export function findingsOf(
  lane: Lane,
  { numbers, findings, answers, loopDelayMs }: FromThread,
): (readonly [number, Exchanged])[] {
  lane.loopDelayMs = loopDelayMs;
  const answerOf = new Map(answers.map(({ number, answer }) => [number, answer]));
  return findings.map((finding, index) => {
    const number = numbers[index] ?? 0;
    return [number, { finding, answer: answerOf.get(number) ?? null }];
  });
}

/** Forgets what a thread that stopped had been told. What is not sent yet goes to the next one. */
export function forgetTold(lane: Lane): void {
  const defined = new Set(lane.outbox.define.map(({ checkId }) => checkId));
  for (const id of lane.certificates.keys()) if (!lane.outbox.certificates.has(id)) lane.certificates.delete(id);
  for (const id of lane.known.keys()) if (!defined.has(id)) lane.known.forget(id);
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
  const known = createKeptUsed<number>(keptMost, (id) => lane.outbox.forget.add(id));
  const lane: Lane = {
    known,
    certificates: new Map(),
    outbox: emptyOutbox(),
    loopDelayMs: 0,
  };
  return lane;
}

/** Nothing to send. */
export function emptyOutbox(): ToThread {
  return {
    define: [],
    forget: new Set(),
    numbers: [],
    checkIds: [],
    accountIds: [],
    strangers: [],
    halves: [],
    stop: [],
    certificates: new Map(),
  };
}

/** The finding of a probe that could not be brought to its end. */
export function crashed(message: string): Finding {
  return bareFinding(Date.now(), { verdict: 'unknown', reason: 'crashed', message });
}
