// Definition of a configuration variable, and of one that is an integer.

/** A variable: its documentation and its parser. */
export interface ConfigVariable<T> {
  /** The default, as a value or in words. */
  readonly fallback: string;
  readonly meaning: string;
  /** The allowed values; completes the phrase "use …". */
  readonly right: string;
  /** Never shown, not even in an error message. */
  readonly secret?: true;
  /** The value of a trimmed, non-empty text; undefined (or an error with the reason) if it is invalid. */
  read(text: string): T | undefined;
}

/** The number, if it is an integer in the range. */
export function wholeNumber(text: string, least: number, max: number): number | undefined {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= max ? value : undefined;
}

/** The allowed values and the parser of an integer in a range. */
export function integer(least: number, max: number): Pick<ConfigVariable<number>, 'right' | 'read'> {
  return { right: `an integer from ${least} to ${max}`, read: (text) => wholeNumber(text, least, max) };
}
