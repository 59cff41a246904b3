// Second factors: set up, use and remove a one-time password, with recovery codes.
import { hash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import {
  oneTimePassword,
  recoveryCode,
  recoveryCodeCount,
  type SecondFactor,
  shownRecoveryCode,
} from '#domain/accounts/second-factor.ts';
import type { SessionOpening } from '#domain/accounts/user.ts';
import type { Clock } from '#lib/clock.ts';
import { invalidInput, Refusal } from '../refusal.ts';
import type { Passwords } from './passwords.ts';
import { requireUser } from './permission.ts';

export interface SecondFactorDeps extends Pick<Store, 'users' | 'sessions' | 'secondFactors'> {
  readonly passwords: Passwords;
  /** Clears cached sessions of a user, in all processes. */
  readonly forgetUser: (userId: string) => void;
  readonly clock: Clock;
}

/** Throws if the person has used up the attempts at codes. Asked only after the password was right. */
export type AdmitCode = (userId: string) => void;

/** A code as typed, and who counts the attempts. */
export interface TypedCode {
  readonly code: string | undefined;
  readonly admitCode: AdmitCode;
}

/** The person's own second factor. */
export interface SecondFactorState {
  /** Epoch ms; null = none. */
  readonly since: number | null;
  readonly recoveryCodesLeft: number;
}

/** What an authenticator app reads. */
export interface NewSecret {
  /** In base32. */
  readonly secret: string;
  /** `otpauth://totp/…`, which a QR code shows. */
  readonly url: string;
}

/** Password and code, which changes to a second factor need. */
export interface Proof extends TypedCode {
  readonly password: string;
}

export type SecondFactorActions = ReturnType<typeof createSecondFactorActions>;

/** What a person has entered. */
type ProvenBy = Exclude<SessionOpening, 'link' | 'provider'>;

/** Seconds of a step. A code of the step before or after is accepted, because clocks differ. */
const stepSeconds = 30;

export function createSecondFactorActions(deps: SecondFactorDeps) {
  const { sessions, secondFactors, forgetUser, clock } = deps;
  /** Verifies both; returns the second factor as it is after the use of the code. */
  const prove = async (userId: string, proof: Proof): Promise<SecondFactor> => {
    const opened = await requireProof(deps, userId, proof);
    const factor = await secondFactors.find(userId);
    if (opened === 'password' || factor === null) throw notSetUp();
    return factor;
  };
  return {
    async read(caller: Caller): Promise<SecondFactorState> {
      const factor = await secondFactors.find(requireUser(caller).id);
      if (factor === null || factor.since === null) return { since: null, recoveryCodesLeft: 0 };
      return { since: factor.since, recoveryCodesLeft: factor.recoveryHashes.length };
    },
    /** Creates a secret that is to be confirmed. Refuses (`invalid`) a wrong password, (`conflict`) a second one. */
    async begin(caller: Caller, password: string): Promise<NewSecret> {
      const { id, email } = requireUser(caller);
      await requirePassword(deps, id, password);
      const secret = new Secret({ size: 20 });
      if (!(await secondFactors.begin(id, secret.base32))) {
        throw new Refusal('conflict', 'You have a second factor already. Remove it first.');
      }
      return { secret: secret.base32, url: totpOf(secret.base32, email).toString() };
    },
    /** Turns the second factor on, ends all other sessions, and returns the recovery codes. */
    async confirm(caller: Caller, { code, admitCode }: TypedCode): Promise<string[]> {
      const { id, sessionId } = requireUser(caller);
      const factor = await secondFactors.find(id);
      if (factor === null || factor.since !== null) throw notSetUp();
      admitCode(id);
      const step = stepOf(factor, code ?? '', clock.now());
      if (step === null) {
        throw invalidInput('code', 'This code is wrong. Check the time of your device and of the server.');
      }
      const fresh = newRecoveryCodes();
      if (!(await secondFactors.confirm(id, step, clock.now(), fresh.hashes))) throw notSetUp();
      await sessions.endAll(id, sessionId);
      forgetUser(id);
      return fresh.codes;
    },
    /** Replaces all recovery codes. */
    async renewRecovery(caller: Caller, proof: Proof): Promise<string[]> {
      const { id } = requireUser(caller);
      const factor = await prove(id, proof);
      const fresh = newRecoveryCodes();
      if (!(await secondFactors.replaceRecovery(id, factor, fresh.hashes))) throw changedMeanwhile();
      return fresh.codes;
    },
    async remove(caller: Caller, proof: Proof): Promise<void> {
      const { id } = requireUser(caller);
      await prove(id, proof);
      await secondFactors.remove(id);
      forgetUser(id);
    },
  };
}

/** Refuses (`invalid`) a wrong password of a signed-in person. */
async function requirePassword(
  { users, passwords }: Pick<SecondFactorDeps, 'users' | 'passwords'>,
  userId: string,
  password: string,
): Promise<void> {
  const user = await users.find(userId);
  if (user !== null && (await passwords.matches(password, user.passwordHash))) return;
  throw invalidInput('password', 'The password is wrong.');
}

/** Refuses (`invalid`) a wrong password of a signed-in person, and a wrong code if the person has a second factor. */
export async function requireProof(
  deps: Pick<SecondFactorDeps, 'users' | 'passwords' | 'secondFactors' | 'clock'>,
  userId: string,
  { password, ...typed }: Proof,
): Promise<ProvenBy> {
  await requirePassword(deps, userId, password);
  return requireSecondFactor(deps, userId, typed).catch(asInvalid);
}

/**
 * Requires the code of a person whose password was right, and uses it up. Returns how the session is opened; `password`
 * = the person has no second factor. Refuses (`unauthenticated`) a missing code with the attribute `secondFactor`, and
 * a wrong or used one with the attribute `code`.
 */
export async function requireSecondFactor(
  { secondFactors, clock }: Pick<SecondFactorDeps, 'secondFactors' | 'clock'>,
  userId: string,
  { code, admitCode }: TypedCode,
): Promise<ProvenBy> {
  const factor = await secondFactors.find(userId);
  if (factor === null || factor.since === null) return 'password';
  if (code === undefined || code.trim() === '') {
    throw new Refusal('unauthenticated', 'Enter a code of your authenticator app or a recovery code.', {
      attributes: { secondFactor: 'required' },
    });
  }
  admitCode(userId);
  const step = stepOf(factor, code, clock.now());
  if (step !== null && (await secondFactors.useStep(userId, factor, step))) return 'totp';
  const typed = recoveryCode(code);
  const rest = factor.recoveryHashes.filter((each) => typed === null || each !== hash('sha256', typed));
  if (rest.length < factor.recoveryHashes.length && (await secondFactors.replaceRecovery(userId, factor, rest))) {
    return 'recovery-code';
  }
  const sentence = 'This code is wrong or was used before. Wait for the next code of your authenticator app.';
  throw new Refusal('unauthenticated', sentence, { attributes: { code: sentence } });
}

/** The step whose code this is; null = none of the accepted steps, or not later than the last used one. @param now epoch ms */
function stepOf({ secret, lastStep }: SecondFactor, typed: string, now: number): number | null {
  const token = oneTimePassword(typed);
  if (token === null) return null;
  const delta = totpOf(secret, '').validate({ token, timestamp: now, window: 1 });
  if (delta === null) return null;
  const step = Math.floor(now / 1000 / stepSeconds) + delta;
  return lastStep !== null && step <= lastStep ? null : step;
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: 'Tocsin', label, secret: Secret.fromBase32(secret), period: stepSeconds, digits: 6 });
}

/** Ten codes of 80 random bits: as people read them, and hashed. */
function newRecoveryCodes(): { readonly codes: string[]; readonly hashes: string[] } {
  const codes = Array.from(
    { length: recoveryCodeCount },
    () => new Secret({ buffer: new Uint8Array(randomBytes(10)).buffer }).base32,
  );
  return { codes: codes.map(shownRecoveryCode), hashes: codes.map((code) => hash('sha256', code)) };
}

/** In a session, a wrong code is invalid input: 401 would say that the session has ended. */
function asInvalid(error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== 'unauthenticated') throw error;
  throw invalidInput('code', error.message);
}

function notSetUp(): Refusal {
  return new Refusal('conflict', 'The second factor is not set up, or was changed meanwhile. Reload the page.');
}

function changedMeanwhile(): Refusal {
  return new Refusal('conflict', 'The recovery codes were changed by another request.');
}
