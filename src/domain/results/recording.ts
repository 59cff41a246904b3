// Data between a run that has ended and the store that closes it.
import type { AlertChannel } from '../alerts/alert-channel.ts';
import type { AlertSettings } from '../alerts/alert-settings.ts';
import type { AlertType } from '../alerts/alert.ts';
import type { FlappingFacts } from '../alerts/notify.ts';
import type { DeliveryIncident } from '../alerts/incident.ts';
import type { CheckGroup } from '../checks/check-group.ts';
import type { StateRules, StateStep } from '../checks/check-state.ts';
import type { Check } from '../checks/check.ts';
import type { ClientIdentity } from '../accounts/client-certificate.ts';
import type { DeliveryContent, Message } from '../deliveries/delivery.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { MaintenanceWindow } from '../checks/maintenance-window.ts';
import type { Finding, Outcome } from './result.ts';
import type { SnippetScript } from '../scripts/snippet.ts';
import type { Run, RunRetry, RunSource } from '../checks/run.ts';

/** A check with everything its runs and alerts depend on, at the time of reading. */
export interface CheckContext {
  readonly check: Check;
  readonly group: CheckGroup | null;
  /** Variables of the account, including secrets. */
  readonly variables: readonly EnvironmentVariable[];
  readonly accountAlertSettings: AlertSettings | null;
  /** The account's default runtime; null = the CURRENT one. */
  readonly accountRuntimeId: string | null;
  /** Zone of times in messages, as an IANA name; null = the server's. */
  readonly accountTimeZone: string | null;
  /** Alert settings of the account. */
  readonly maintenanceWindows: readonly MaintenanceWindow[];
  /** Client identities of the account, with keys; absent if no check runs. */
  readonly clientCertificates?: readonly ClientIdentity[];
  /** Snippets of the account; absent if no check runs. */
  readonly snippets?: readonly SnippetScript[];
  /** Changes whenever any field changes. */
  readonly revision: number;
}

/** An attempt that has ended: recorded, then closed or retried. */
export interface EndedAttempt {
  readonly run: Run;
  readonly context: CheckContext;
  readonly finding: Finding;
  readonly outcome: Outcome;
  /** The following attempt; null = this one is final. */
  readonly retry: RunRetry | null;
  readonly rules: StateRules;
  /** It sends no alerts and does not change the state of its check. */
  readonly isQuiet?: boolean;
  /** Its check runs once more, outside its schedule. */
  readonly runsAgain?: boolean;
}

/**
 * An ended attempt, evaluated with the settings at the time of recording.
 * @param context its check as stored now; null = deleted
 */
export type Judge = (attempt: EndedAttempt, context: CheckContext | null) => EndedAttempt;

/** Input for rendering a delivery. */
export interface DeliveryFacts {
  readonly deliveryId: string;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly alertType: AlertType;
  /** Number of the reminder, from 1; null = none. */
  readonly reminder: number | null;
  readonly channel: AlertChannel;
  /** Whether a group's subscription caused it, so that the group's variables apply. */
  readonly isViaGroup: boolean;
  readonly context: CheckContext;
  readonly resultId: string;
  readonly location: string;
  readonly finding: Finding;
  /** null = it is about a certificate. */
  readonly incident: DeliveryIncident | null;
  /** null or absent = the alert is not about a flapping check. */
  readonly flapping?: FlappingFacts | null;
  /** The check was deleted while the alert was open; facts about the run are those of its last (docs/decisions/0103). */
  readonly isDeletion?: boolean;
}

/** A request to send, or why there is none. */
export type Rendered =
  | { readonly request: Message }
  | {
      readonly error: string;
      /** The error without values of variables, for notices and other channels; absent = it may contain some. */
      readonly reason?: string;
    };

/** Content of a new delivery: input to render later (docs/decisions/0120), or already rendered. */
export type Prepared = (Rendered | { readonly content: DeliveryContent }) & {
  /** Whether a newer message of its incident supersedes it (docs/decisions/0136). */
  readonly isSuperseded?: boolean;
};

/** How channels are notified of what was recorded. */
export interface NotificationRules {
  readonly render: (facts: DeliveryFacts) => Prepared;
  /** The status code of a finding, if its kind has one. */
  readonly statusOf: (attempt: EndedAttempt) => number | null;
  /** Whether channels of a type get digests in an alert storm. Absent = none does. */
  readonly isDigested?: ((channelType: string) => boolean) | undefined;
  /** Whether channels of a type receive few messages about flapping checks. Absent = none does. */
  readonly isBrief?: ((channelType: string) => boolean) | undefined;
}

/** Outcome of recording an attempt. */
export interface Recorded {
  /** false = another process had the run, or its check was deleted: nothing was written. */
  readonly isRecorded: boolean;
  readonly resultId: string;
  readonly change: StateStep['change'];
  readonly alertTypes: readonly AlertType[];
  readonly deliveries: number;
}

/**
 * Whether the complete request and response are stored: for every result that is not passing, the first passing one
 * after a change, and runs started on demand (decisions: What is kept of a result).
 */
export function isStoredInFull(outcome: Outcome, change: StateStep['change'], source: RunSource): boolean {
  return outcome !== 'passed' || change !== null || source !== 'SCHEDULER';
}
