// Errors of actions, with a closed list of codes that REST maps to statuses in one table.
import { type Revised, revisionOf } from '#domain/patch.ts';

/**
 * Why an action refuses. `invalid` invalid input, `not-found`, `unauthenticated` wrong password, `forbidden` missing
 * permission, `conflict` not possible in the current state, `changed` the record is not at the expected revision, `limit` execution limit of the account, `too-many` rate
 * limit, `timeout` waited too long, `unavailable` not possible on this server right now.
 */
export type RefusalCode =
  | 'invalid'
  | 'unauthenticated'
  | 'not-found'
  | 'forbidden'
  | 'conflict'
  | 'changed'
  | 'limit'
  | 'too-many'
  | 'timeout'
  | 'unavailable';

/**
 * Thrown by actions. The message and the attributes are shown to the caller, so they contain no internals or secrets.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  /** Details: field path → message for `invalid`, numbers for `limit`. */
  readonly attributes: Readonly<Record<string, unknown>> | undefined;
  /** Seconds to wait before retrying, for `too-many` and `unavailable`. */
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

/** Refuses a single invalid field: `invalidField('runtimeId', 'must be one of 2026.04, 2025.04')`. */
export function invalidField(path: string, message: string): Refusal {
  return new Refusal('invalid', `${path} ${message}`, { attributes: { [path]: message } });
}

/** The same with a sentence that stands alone, which a page shows below the field. */
export function invalidInput(path: string, sentence: string): Refusal {
  return new Refusal('invalid', sentence, { attributes: { [path]: sentence } });
}

/** Refuses something that does not exist or no longer works, with its own message. */
export function notFoundMessage(message: string): Refusal {
  return new Refusal('not-found', message);
}

/** Refuses an ID that does not exist or belongs to another account, without distinction. */
export function notFound(noun: string, id: string | number): Refusal {
  return new Refusal('not-found', `${noun[0]?.toUpperCase()}${noun.slice(1)} ${id} not found.`);
}

/** The value of an ID, or refuses like `notFound` if there is none. */
export function orNotFound<Value>(value: Value | null | undefined, noun: string, id: string | number): Value {
  if (value === null || value === undefined) throw notFound(noun, id);
  return value;
}

/** An invalid field: its path and how to fix it. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  /** Position in a template, starting at 1. */
  readonly line?: number;
  readonly column?: number;
}

/** Refuses (`invalid`) with all invalid fields; does nothing if there are none. */
export function refuseProblems(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const attributes: Record<string, string> = {};
  for (const { path, message, line, column } of problems) {
    const place = line === undefined ? '' : ` (line ${line}, column ${column ?? 1})`;
    // Messages write a list index in brackets.
    attributes[path.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')] ??= message + place;
  }
  const names = Object.keys(attributes);
  const shown = names.slice(0, 3).map((path) => `${path}: ${attributes[path]}`);
  const more = names.length > 3 ? `; and ${names.length - 3} more` : '';
  throw new Refusal('invalid', `${shown.join('; ')}${more}.`, { attributes });
}

/** Revisions (epoch ms) that a change is meant for; null = any. */
export type Expected = readonly number[] | null;

/** Call it in the transaction of the change. @throws {Refusal} `changed` */
export function requireRevision(present: Revised, expected: Expected): void {
  if (expected === null || expected.includes(revisionOf(present))) return;
  const message =
    'Somebody else has changed this meanwhile, and nothing was saved. Read it again, and send the change with its present ETag.';
  throw new Refusal('changed', message);
}
