// Common passwords: the list of zxcvbn, loaded when a password is chosen.

/** Shorter ones are rejected because of their length. */
const minLength = 10;

let common: ReadonlySet<string> | null = null;

/** Whether a password is common, case-insensitive. */
export async function isCommonPassword(password: string): Promise<boolean> {
  if (common === null) {
    const { dictionary } = await import('@zxcvbn-ts/language-common');
    common = new Set(dictionary['passwords-common'].filter(({ length }) => length >= minLength));
  }
  return common.has(password.toLowerCase());
}
