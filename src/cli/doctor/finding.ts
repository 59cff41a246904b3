/** One result of the doctor. */
export interface Finding {
  readonly what: string;
  readonly grade: 'ok' | 'warning' | 'problem';
  /** The finding and, unless it is `ok`, the remedy. */
  readonly message: string;
}
