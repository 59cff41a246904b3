// One result of the doctor, and those that both engines have.
import { schemaVersion } from '#store/base/migrate.ts';
import type { DeliveryHold } from '#domain/deliveries/delivery.ts';

/** One result of the doctor. */
export interface Finding {
  readonly what: string;
  readonly grade: 'ok' | 'warning' | 'problem';
  /** The finding and, unless it is `ok`, the remedy. */
  readonly message: string;
}

export const ok = (what: string, message: string): Finding => ({ what, grade: 'ok', message });
export const warning = (what: string, message: string): Finding => ({ what, grade: 'warning', message });
export const problem = (what: string, message: string): Finding => ({ what, grade: 'problem', message });

/** @param advice what to do before an upgrade */
export function schemaFinding(found: number, advice = ''): Finding {
  if (found === schemaVersion) return ok('schema', `version ${found}`);
  return found < schemaVersion
    ? warning('schema', `version ${found}: the next start upgrades it to ${schemaVersion}${advice}`)
    : problem('schema', `version ${found} is newer than this version of Tocsin: upgrade Tocsin`);
}

/** @param stored the hold as stored in the table `installation`; undefined = no hold */
export function heldFindings(stored: string | undefined): Finding[] {
  if (stored === undefined) return [];
  const { since, reason } = JSON.parse(stored) as DeliveryHold;
  const why = reason === 'restore' ? 'a backup was restored' : 'Tocsin was started with TOCSIN_DELIVERIES=held';
  const message =
    `deliveries have been held since ${new Date(since).toISOString()} because ${why}. With an operator key, ` +
    'send them with POST /v1/held-deliveries/release or cancel them with POST /v1/held-deliveries/discard';
  return [warning('deliveries', message)];
}
