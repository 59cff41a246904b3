// What an action says no with: a short closed list of codes, so that each way in maps it in one table.

/**
 * Why an action refuses. `invalid` the input is wrong, `not-found`, `forbidden` the key may not, `conflict` the present
 * state does not allow it, `limit` the account's execution limit, `too-many` too often, `timeout` waited in vain,
 * `unavailable` this server cannot at the moment.
 */
export type RefusalCode =
  | 'invalid'
  | 'not-found'
  | 'forbidden'
  | 'conflict'
  | 'limit'
  | 'too-many'
  | 'timeout'
  | 'unavailable';

/** Thrown by actions. The message and the attributes are shown to the caller: no internals, no secrets. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  /** What helps to put it right: field path → message for `invalid`, figures for `limit`. */
  readonly attributes: Readonly<Record<string, unknown>> | undefined;
  /** Seconds after which trying again makes sense, for `too-many` and `unavailable`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: RefusalCode,
    message: string,
    more: { readonly attributes?: Readonly<Record<string, unknown>>; readonly retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.attributes = more.attributes;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/** Refuses a single wrong field: `invalidField('runtimeId', 'must be one of 2026.04, 2025.04')`. */
export function invalidField(path: string, message: string): Refusal {
  return new Refusal('invalid', `${path} ${message}`, { attributes: { [path]: message } });
}

/** Refuses what does not exist, or belongs to another account: nobody can tell which. */
export function notFound(noun: string, id: string | number): Refusal {
  return new Refusal('not-found', `There is no ${noun} ${id}.`);
}
