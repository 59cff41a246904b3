// Incidents: a check from the first alert of a failure or degradation to its recovery or deletion.
import type { CheckState } from '../checks/check-state.ts';

export const incidentKinds = ['failing', 'degraded'] as const;
/** The worst state that was alerted. */
export type IncidentKind = (typeof incidentKinds)[number];

export const incidentEnds = ['recovery', 'deletion'] as const;
export type IncidentEnd = (typeof incidentEnds)[number];

/** Who acknowledged an incident: a user, an API key, or a person who opened the ACK_LINK of an alert. */
export interface Acknowledger {
  readonly type: 'user' | 'api-key' | 'link';
  /** null = a link. */
  readonly id: string | null;
  /** The person's e-mail address or the key's name. */
  readonly name: string | null;
}

/** An incident of a check. Instants are epoch ms. */
export interface Incident {
  readonly accountId: string;
  readonly id: string;
  readonly checkId: string;
  readonly checkName: string;
  readonly checkType: string;
  readonly kind: IncidentKind;
  /** When the state began. */
  readonly startedAt: number;
  /** When the first alert was raised. */
  readonly openedAt: number;
  /** null = open. */
  readonly endedAt: number | null;
  readonly endedBy: IncidentEnd | null;
  readonly acknowledgedAt: number | null;
  readonly acknowledgedBy: Acknowledger | null;
  readonly firstAlertId: string;
  /** The result that opened it. */
  readonly resultId: string;
  /** Error of its first alert; null = none, or the alert is no longer stored. */
  readonly error: string | null;
}

/** The incident of a delivery, as its channel sees it. */
export interface DeliveryIncident {
  readonly id: string;
  /** The open incident, if the channel knows an earlier one of a flapping check. */
  readonly currentId?: string;
  /** Epoch ms. */
  readonly startedAt: number;
  /** Whether this delivery is the first of the incident to this channel. */
  readonly isFirst: boolean;
}

/** What becomes of the incident of a check whose state goes from one to the other; null = nothing. */
export function incidentStep(
  before: Pick<CheckState, 'alerted'>,
  after: Pick<CheckState, 'alerted'>,
): 'opens' | 'escalates' | 'ends' | null {
  if (before.alerted === after.alerted) return null;
  if (before.alerted === null) return 'opens';
  if (after.alerted === null) return 'ends';
  return after.alerted === 'failing' ? 'escalates' : null;
}
