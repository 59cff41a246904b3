// Refuses a change to a record that was changed since the caller read it.
import { type Revised, revisionOf } from '#domain/patch.ts';
import { Refusal } from './refusal.ts';

/** Revisions (epoch ms) that a change is meant for; null = any. */
export type Expected = readonly number[] | null;

/** Call it in the transaction of the change. @throws {Refusal} `changed` */
export function requireRevision(present: Revised, expected: Expected): void {
  if (expected === null || expected.includes(revisionOf(present))) return;
  const message =
    'Somebody else has changed this meanwhile, and nothing was saved. Read it again, and send the change with its present ETag.';
  throw new Refusal('changed', message);
}
