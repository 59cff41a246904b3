// What a process keeps about each probe thread, and their messages, which are batched because each is expensive.
import { isDeepStrictEqual } from 'node:util';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import type { Exchanged, ThreadInput, SeenAnswer, ExchangeWork } from '#domain/checks/probe.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';
import type { EgressPolicy } from '#egress/guard.ts';

/** Start data of a thread. */
export interface ThreadSettings {
  readonly egress: EgressPolicy;
  readonly version: string;
  readonly limitMs: number;
  readonly extraCertificates: readonly string[];
}

/** Message to the thread: probes to start and to stop. */
export interface ToThread {
  /** Probe inputs as JSON text, which is cheaper to send than objects. Probes of one account wait in turn. */
  readonly probes: { readonly number: number; readonly accountId: string; readonly text: string }[];
  /** Halves of probes. */
  readonly exchangeJobs: { readonly number: number; readonly work: ExchangeWork }[];
  readonly stop: number[];
  /** Changed client certificates, by account. */
  readonly certificates: Map<string, readonly ClientIdentity[]>;
}

/** Message from the thread: findings by probe number. */
export interface FromThread {
  readonly numbers: number[];
  readonly findings: Finding[];
  /** Responses of first halves. */
  readonly answers: { readonly number: number; readonly answer: SeenAnswer }[];
  /** Longest event loop delay of the thread in the last ten seconds. */
  readonly loopDelayMs: number;
  /** Whether no name server of this machine answers. */
  readonly isResolverDown: boolean;
}

/** A probe thread as seen by the process. */
export interface Lane {
  /** Client certificates that were sent, by account. Accounts without any are omitted. */
  readonly certificates: Map<string, readonly ClientIdentity[]>;
  outbox: ToThread;
  loopDelayMs: number;
  /** Whether no name server answers the thread. */
  isResolverDown: boolean;
}

/** Sends an account's client certificates to the thread, unless it has them. */
export function sendCertificates(
  { certificates, outbox }: Lane,
  { check: { accountId }, clientCertificates = [] }: ThreadInput,
): void {
  const known = certificates.get(accountId);
  if (known === clientCertificates || (known === undefined && clientCertificates.length === 0)) return;
  // Certificates are reloaded after any change of the account; the thread caches what it derived from unchanged ones.
  if (known !== undefined && isDeepStrictEqual(known, clientCertificates)) {
    certificates.set(accountId, clientCertificates);
    return;
  }
  outbox.certificates.set(accountId, clientCertificates);
  if (clientCertificates.length === 0) certificates.delete(accountId);
  else certificates.set(accountId, clientCertificates);
}

/** Reads a message of the thread: findings by probe number. */
export function findingsOf(
  lane: Lane,
  { numbers, findings, answers, loopDelayMs, isResolverDown }: FromThread,
): (readonly [number, Exchanged])[] {
  lane.loopDelayMs = loopDelayMs;
  lane.isResolverDown = isResolverDown;
  const answerOf = new Map(answers.map(({ number, answer }) => [number, answer]));
  return findings.map((finding, index) => {
    const number = numbers[index] ?? 0;
    return [number, { finding, answer: answerOf.get(number) ?? null }];
  });
}

/** Resets the state after a thread stopped. Unsent calls go to the next thread. */
export function forgetSent(lane: Lane): void {
  const { certificates, outbox } = lane;
  lane.isResolverDown = false;
  for (const id of certificates.keys()) if (!outbox.certificates.has(id)) certificates.delete(id);
}

/** Returns the thread of a check, which is always the same. */
export function laneOf(checkId: string, size: number): number {
  if (size === 1) return 0;
  let sum = 0;
  for (let index = 0; index < checkId.length; index++) sum = (sum * 31 + checkId.charCodeAt(index)) >>> 0;
  return sum % size;
}

export function newLane(): Lane {
  return { certificates: new Map(), outbox: emptyOutbox(), loopDelayMs: 0, isResolverDown: false };
}

export function emptyOutbox(): ToThread {
  return { probes: [], exchangeJobs: [], stop: [], certificates: new Map() };
}

export function crashed(message: string): Finding {
  return bareFinding(Date.now(), { verdict: 'unknown', reason: 'crashed', message });
}
