// Reports that deliveries are held.
import type { DeliveryHold } from '#domain/deliveries/delivery.ts';
import type { Finding } from './finding.ts';

/** @param stored the hold as stored in the table `installation`; undefined = no hold */
export function heldFindings(stored: string | undefined): Finding[] {
  if (stored === undefined) return [];
  const { since, reason } = JSON.parse(stored) as DeliveryHold;
  const why = reason === 'restore' ? 'a backup was restored' : 'Tocsin was started with TOCSIN_DELIVERIES=held';
  const message =
    `deliveries have been held since ${new Date(since).toISOString()} because ${why}. With an operator key, ` +
    'send them with POST /v1/held-deliveries/release or cancel them with POST /v1/held-deliveries/discard';
  return [{ what: 'deliveries', grade: 'warning', message }];
}
