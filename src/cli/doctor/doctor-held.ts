// What the doctor finds while deliveries are held.
import type { DeliveryHold } from '#domain/alerts/delivery-hold.ts';
import type { Finding } from './finding.ts';

/** @param stored the hold as the table `installation` stores it; undefined = nothing is held */
export function heldFindings(stored: string | undefined): Finding[] {
  if (stored === undefined) return [];
  const { since, reason } = JSON.parse(stored) as DeliveryHold;
  const why = reason === 'restore' ? 'a backup was restored' : 'TOCSIN_DELIVERIES was "held" at a start';
  const message =
    `nothing is sent since ${new Date(since).toISOString()} because ${why}: with an operator key, ` +
    'POST /v1/held-deliveries/release sends the waiting deliveries and POST /v1/held-deliveries/discard cancels them';
  return [{ what: 'deliveries', grade: 'warning', message }];
}
