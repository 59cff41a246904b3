// What a process knows of each of its probe threads: certificates sent, what is to be sent next.
import { isDeepStrictEqual } from 'node:util';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import type { Exchanged, ThreadInput } from '#domain/checks/probe.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';
import type { FromThread, ToThread } from './probe-messages.ts';

/** One thread, seen from outside. */
export interface Lane {
  /** Client certificates that it has, by account; those without any are left out. */
  readonly certificates: Map<string, readonly ClientIdentity[]>;
  outbox: ToThread;
  loopDelayMs: number;
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

/** Rejects the pending calls of a thread that stopped. Calls not sent yet go to the next one. */
export function forgetTold({ certificates, outbox }: Lane): void {
  for (const id of certificates.keys()) if (!outbox.certificates.has(id)) certificates.delete(id);
}

/** The thread of a check: always the same. */
export function laneOf(checkId: string, size: number): number {
  if (size === 1) return 0;
  let sum = 0;
  for (let index = 0; index < checkId.length; index++) sum = (sum * 31 + checkId.charCodeAt(index)) >>> 0;
  return sum % size;
}

/** A thread that knows nothing yet. */
export function newLane(): Lane {
  return { certificates: new Map(), outbox: emptyOutbox(), loopDelayMs: 0 };
}

/** Nothing to send. */
export function emptyOutbox(): ToThread {
  return { probes: [], halves: [], stop: [], certificates: new Map() };
}

/** The finding of a probe that could not be brought to its end. */
export function crashed(message: string): Finding {
  return bareFinding(Date.now(), { verdict: 'unknown', reason: 'crashed', message });
}
