// What became of a write whose references the store looks up: the record, or a refusal that names the reference.
import { invalidField } from '../refusal.ts';

/** The record as it was saved, or the path of the reference in it that names nothing of the account. */
export type Saved<Stored> = { readonly saved: Stored } | { readonly dangling: string };

/** @throws {Refusal} `invalid`, with the field of the reference that dangles */
export function savedOrRefused<Stored>(outcome: Saved<Stored>): Stored {
  if ('saved' in outcome) return outcome.saved;
  throw invalidField(outcome.dangling, danglingMessage(outcome.dangling));
}

function danglingMessage(path: string): string {
  if (path.endsWith('alertChannelId')) return 'names no alert channel of this account';
  return path.endsWith('checkId') ? 'names no check of this account' : 'names no check group of this account';
}
