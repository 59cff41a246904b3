// Result of a write with references that the store resolves: the record, or a refusal that names the reference.
import { invalidField } from '../refusal.ts';

/** The saved record, or the path of a reference that is not in the account. */
export type Saved<Stored> = { readonly saved: Stored } | { readonly dangling: string };

/** @throws {Refusal} `invalid`, with the field of the unknown reference */
export function savedOrRefused<Stored>(outcome: Saved<Stored>): Stored {
  if ('saved' in outcome) return outcome.saved;
  throw invalidField(outcome.dangling, danglingMessage(outcome.dangling));
}

function danglingMessage(path: string): string {
  if (path.endsWith('alertChannelId')) return 'is not the ID of an alert channel of this account';
  return path.endsWith('checkId')
    ? 'is not the ID of a check of this account'
    : 'is not the ID of a check group of this account';
}
