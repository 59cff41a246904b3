/** One thing looked at. */
export interface Finding {
  readonly what: string;
  readonly grade: 'ok' | 'warning' | 'problem';
  /** What was found, and for a warning or a problem what to do. */
  readonly message: string;
}
