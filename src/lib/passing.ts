/** A fault that passes when somebody acts, such as a full disk: work that met it waits and is tried again. */
export interface PassingFault extends Error {
  readonly isPassing: true;
}

/** Whether a fault says of itself that it passes. */
export function isPassing(error: unknown): error is PassingFault {
  return error instanceof Error && 'isPassing' in error && error.isPassing === true;
}
