// Definition of a configuration variable.

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
