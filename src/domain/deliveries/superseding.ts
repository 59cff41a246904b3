// Superseding: a message about an incident that still waits is not sent if a newer one is (docs/decisions/0136).
import type { DeliveryStatus } from './delivery.ts';

/** Statuses of newer messages that make an older one obsolete: they were sent, or will be. */
export const supersedingStatuses = ['pending', 'delivered', 'digested'] as const satisfies readonly DeliveryStatus[];

/** Why a superseded delivery was not sent. */
export const supersededReason = 'a newer message about the same incident is sent instead';

/** Why a superseded digest was not sent. */
export const supersededDigestReason = 'newer messages about all its checks are sent instead';

/** A message of a channel about a check. */
export interface IncidentMessage {
  /** IDs of messages are ordered by their creation. */
  readonly id: string;
  readonly alertChannelId: number;
  readonly checkId: string;
  /** The incident of which only the newest message is sent; null = every message is sent. */
  readonly latestOf: string | null;
  readonly status: DeliveryStatus;
  /** The digest that it is in. */
  readonly digestId: string | null;
}

/** Whether one message supersedes an older one of the same incident and channel. */
export function supersedes(newer: IncidentMessage, waiting: IncidentMessage): boolean {
  return (
    waiting.latestOf !== null &&
    newer.latestOf === waiting.latestOf &&
    newer.alertChannelId === waiting.alertChannelId &&
    newer.id > waiting.id &&
    isSent(newer)
  );
}

/**
 * Whether a digest is superseded: each of its alerts was followed by a newer message about its check, whichever the
 * incident, because a digest describes the state of checks.
 */
export function isDigestSuperseded(
  digestId: string,
  members: readonly IncidentMessage[],
  others: readonly IncidentMessage[],
): boolean {
  const isFollowed = (member: IncidentMessage): boolean =>
    member.latestOf !== null &&
    others.some(
      (other) =>
        other.latestOf !== null &&
        other.checkId === member.checkId &&
        other.alertChannelId === member.alertChannelId &&
        other.digestId !== digestId &&
        other.id > member.id &&
        isSent(other),
    );
  return members.length > 0 && members.every(isFollowed);
}

function isSent({ status }: IncidentMessage): boolean {
  return supersedingStatuses.some((sent) => sent === status);
}
