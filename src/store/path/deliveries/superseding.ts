// Whether a due delivery is superseded: the rules of domain/deliveries/superseding.ts, in the statement that claims it.
import { supersededDigestReason, supersededReason, supersedingStatuses } from '#domain/deliveries/superseding.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';

const isSent = `n.status IN (${supersedingStatuses.map((status) => deliveryStatusCodes.encode(status)).join()})`;

/** Newer messages about the check of a delivery; served by the index deliveries_by_check. */
function newer(than: string): string {
  return `SELECT 1 FROM deliveries n WHERE n.account_id = ${than}.account_id
    AND n.alert_channel_id = ${than}.alert_channel_id AND n.check_id = ${than}.check_id AND n.id > ${than}.id AND ${isSent}`;
}

const members = 'SELECT 1 FROM deliveries m WHERE m.account_id = d.account_id AND m.digest_id = d.id';
const other = 'n.latest_of IS NOT NULL AND (n.digest_id IS NULL OR n.digest_id <> d.id)';

/** 1 if the delivery `d` is superseded, otherwise 0. */
export const supersededColumn = `CASE
  WHEN d.latest_of IS NOT NULL THEN CASE WHEN EXISTS (${newer('d')} AND n.latest_of = d.latest_of) THEN 1 ELSE 0 END
  WHEN d.is_digest = 1 THEN CASE WHEN EXISTS (${members}) AND NOT EXISTS (
    ${members} AND (m.latest_of IS NULL OR NOT EXISTS (${newer('m')} AND ${other}))) THEN 1 ELSE 0 END
  ELSE 0 END`;

/** Why a delivery was superseded. */
export function supersededReasonOf({ is_digest }: { readonly is_digest: number }): string {
  return is_digest === 1 ? supersededDigestReason : supersededReason;
}
