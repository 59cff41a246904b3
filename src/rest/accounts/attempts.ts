// Attempts at passwords, one-time tokens and codes: how many there may be, and of whom.
import type { Applicant } from '#actions/accounts/hashing-turns.ts';
import type { TypedCode } from '#actions/accounts/second-factors.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { countedAddress, createRateLimit, type RateLimit } from '../rate-limit.ts';
import type { AnyCall } from '../route.ts';
import { requireSameOrigin } from '../session-cookie.ts';

/**
 * Attempts with a password or a one-time token per five minutes: for a person from one address and from all of them,
 * and from an address. Devices in which the person has signed in before have their own attempts, and so has a session,
 * so that knowing an email address is not enough to lock out its user (docs/decisions/0134). Codes of a person are
 * counted only after the password was right. A sign-in at the identity provider, which guesses nothing, counts as two.
 */
const attemptsMax = {
  person: 10,
  everywhere: 100,
  address: 60,
  knownDevices: 30,
  session: 10,
  codes: 10,
  provider: 300,
} as const;
const attemptsMs = 300_000;

export interface AttemptLimits {
  readonly persons: RateLimit;
  readonly everywhere: RateLimit;
  readonly addresses: RateLimit;
  readonly knownDevices: RateLimit;
  readonly sessions: RateLimit;
  readonly codes: RateLimit;
  readonly provider: RateLimit;
}

export function requireAttempt(limit: RateLimit, name: string, whom: 'person' | 'address'): void {
  const allowance = limit.take(name);
  if (allowance === null || allowance.isAllowed) return;
  const { retryAfterSeconds } = allowance;
  throw new HttpRefusal(429, `Too many attempts for this ${whom}. Try again in ${retryAfterSeconds} s.`, {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** Refuses (403) pages of other origins, and (429) too many attempts from an address. */
export function requireAddressAttempt(limit: RateLimit, { headers, address }: Attempt, publicUrl: string): void {
  requireSameOrigin(headers, publicUrl, false);
  requireAttempt(limit, countedAddress(address), 'address');
}

export function requirePersonAttempt(
  { persons, everywhere }: AttemptLimits,
  email: string,
  { address }: Attempt,
): void {
  requireAttempt(persons, `${countedAddress(address)} ${email}`, 'person');
  requireAttempt(everywhere, email, 'person');
}

/** @param now epoch ms */
export function createAttemptLimits(now: () => number): AttemptLimits {
  return {
    persons: createRateLimit(attemptsMax.person, attemptsMs, now),
    everywhere: createRateLimit(attemptsMax.everywhere, attemptsMs, now),
    addresses: createRateLimit(attemptsMax.address, attemptsMs, now),
    knownDevices: createRateLimit(attemptsMax.knownDevices, attemptsMs, now),
    sessions: createRateLimit(attemptsMax.session, attemptsMs, now),
    codes: createRateLimit(attemptsMax.codes, attemptsMs, now),
    provider: createRateLimit(attemptsMax.provider, attemptsMs, now),
  };
}

/** A code and the count of attempts at it. */
export function typedCode({ codes }: AttemptLimits, code: string | undefined): TypedCode {
  return { code, admitCode: (userId) => requireAttempt(codes, userId, 'person') };
}

/** A signed-in person who enters the password again; refuses (429) too many attempts of a session. */
export function ownApplicant(
  { caller, signal }: Pick<AnyCall, 'signal'> & { readonly caller: Caller },
  limits: AttemptLimits,
) {
  const { principal } = caller;
  if (principal.kind === 'user') requireAttempt(limits.sessions, principal.sessionId, 'person');
  return { name: principal.id, isKnown: true, signal };
}

/** A request, as far as attempts are counted. */
export type Attempt = Pick<AnyCall, 'headers' | 'address'>;

export function stranger({ address, signal }: Pick<AnyCall, 'address' | 'signal'>): Applicant {
  return { name: countedAddress(address), isKnown: false, signal };
}

export function agentOf(headers: AnyCall['headers']): string {
  return headers['user-agent'] ?? '';
}
