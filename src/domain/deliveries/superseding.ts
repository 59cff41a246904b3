// Superseding: a message about an incident that still waits is not sent if a newer one is (docs/decisions/0136).
import type { DeliveryStatus } from './delivery.ts';

/** Statuses of newer messages that make an older one obsolete: they were sent, or will be. */
export const supersedingStatuses = ['pending', 'delivered', 'digested'] as const satisfies readonly DeliveryStatus[];

/** Why a superseded delivery was not sent. */
export const supersededReason = 'a newer message about the same incident is sent instead';

/** Why a superseded digest was not sent. */
export const supersededDigestReason = 'newer messages about all its checks are sent instead';
