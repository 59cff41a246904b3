// Rules for passwords.

export const passwordLength = { min: 10, max: 200 } as const;

/** Normalizes a password, so that the same characters typed on different systems match. */
export function normalPassword(password: string): string {
  return password.normalize('NFKC');
}

/**
 * Why a password is rejected, completing the phrase "password …"; null = accepted.
 * @param isCommon whether it is in the list of common passwords
 */
export function passwordProblem(password: string, email: string, isCommon: boolean): string | null {
  const normal = normalPassword(password);
  const { length } = normal;
  const { min, max } = passwordLength;
  if (length < min) return `must have at least ${min} characters`;
  if (length > max) return `must have at most ${max} characters`;
  if (normal.toLowerCase() === email.toLowerCase()) return 'must not be the email address';
  if (isCommon || new Set(normal).size < 4) return 'is too common; choose one that is harder to guess';
  return null;
}
