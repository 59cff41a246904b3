// Second factors: a time-based one-time password (TOTP) and recovery codes.

/** The second factor of a person. Instants are epoch ms. */
export interface SecondFactor {
  /** The shared secret in base32. */
  readonly secret: string;
  /** null = not confirmed by a code yet, so that sign-in does not ask for one. */
  readonly since: number | null;
  /** Number of the last 30 s step whose code was used; null = none. Codes up to it are refused. */
  readonly lastStep: number | null;
  /** SHA-256 of each unused recovery code, in hex. */
  readonly recoveryHashes: readonly string[];
}

export const recoveryCodeCount = 10;

/** Digits of a one-time password, without the spaces that people type; null = the text is no one-time password. */
export function oneTimePassword(text: string): string | null {
  const digits = text.replaceAll(/\s/g, '');
  return /^\d{6}$/.test(digits) ? digits : null;
}

/** A recovery code of 16 letters and digits as it is hashed, however it was typed; null = the text is none. */
export function recoveryCode(text: string): string | null {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase();
  return /^[A-Z2-7]{16}$/.test(code) ? code : null;
}

/** `ABCD-EFGH-JKLM-NPQR`, as people read it. */
export function shownRecoveryCode(code: string): string {
  return code.replaceAll(/(.{4})(?=.)/g, '$1-');
}
