// Result of a write with references that the store resolves: the record, or a refusal that names the reference.
import type { Saved } from '#store/checks/checks.ts';
import { invalidField } from '../refusal.ts';

/** @throws {Refusal} `invalid`, with the field of the unknown reference */
export function savedOrRefused<Stored>(outcome: Saved<Stored>): Stored {
  if ('saved' in outcome) return outcome.saved;
  if ('cycle' in outcome) {
    throw invalidField('dependsOn', `forms a cycle: ${outcome.cycle.join(' → ')}. Remove one of these dependencies`);
  }
  throw invalidField(outcome.dangling, danglingMessage(outcome.dangling));
}

function danglingMessage(path: string): string {
  if (path === 'activeHours.otherChannelId') return 'is not the ID of another alert channel of this account';
  if (path.endsWith('alertChannelId')) return 'is not the ID of an alert channel of this account';
  return path.endsWith('checkId') || path.startsWith('dependsOn')
    ? 'is not the ID of a check of this account'
    : 'is not the ID of a check group of this account';
}
