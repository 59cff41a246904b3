// What passes between a run that has ended and the store that closes it.
import type { AlertChannel } from '../alerts/alert-channel.ts';
import type { AlertSettings } from '../alerts/alert-settings.ts';
import type { AlertType } from '../alerts/alert.ts';
import type { CheckGroup } from '../checks/check-group.ts';
import type { StateRules, StateStep } from '../checks/check-state.ts';
import type { Check } from '../checks/check.ts';
import type { ClientIdentity } from '../accounts/client-certificate.ts';
import type { DeliveryContent, Message } from '../alerts/delivery.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { MaintenanceWindow } from '../checks/maintenance-window.ts';
import type { Finding, Outcome } from './result.ts';
import type { Run, RunRetry, RunSource } from '../checks/run.ts';

/** A check with all that its runs and alerts depend on, as it stood when it was read. */
export interface CheckContext {
  readonly check: Check;
  readonly group: CheckGroup | null;
  /** Of the account; secrets included. */
  readonly variables: readonly EnvironmentVariable[];
  readonly accountAlertSettings: AlertSettings | null;
  /** The account's default runtime; null = the CURRENT one. */
  readonly accountRuntimeId: string | null;
  /** Of the account. */
  readonly maintenanceWindows: readonly MaintenanceWindow[];
  /** Of the account, keys included; absent where no check is run. */
  readonly clientCertificates?: readonly ClientIdentity[];
  /** Changes whenever anything here does. */
  readonly revision: number;
}

/** An attempt that has ended: to be recorded, and either closed or tried again. */
export interface EndedAttempt {
  readonly run: Run;
  readonly context: CheckContext;
  readonly finding: Finding;
  readonly outcome: Outcome;
  /** The attempt that follows; null = this one is final. */
  readonly retry: RunRetry | null;
  readonly rules: StateRules;
  /** It alerts nobody, and the state of its check stays as it is. */
  readonly isQuiet?: boolean;
  /** Its check is to run once more, outside its slots. */
  readonly runsAgain?: boolean;
}

/**
 * An ended attempt as the settings at its recording judge it.
 *
 * @param context its check as stored now; null = it is deleted
 */
export type Judge = (attempt: EndedAttempt, context: CheckContext | null) => EndedAttempt;

/** All that a delivery is rendered from. */
export interface DeliveryFacts {
  readonly deliveryId: string;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly alertType: AlertType;
  /** Which reminder it is, from 1; null = none. */
  readonly reminder: number | null;
  readonly channel: AlertChannel;
  /** Whether a group's subscription is the cause: the group's variables apply. */
  readonly isViaGroup: boolean;
  readonly context: CheckContext;
  readonly resultId: string;
  readonly location: string;
  readonly finding: Finding;
  /** The check was deleted while it was open: what is said of a run is said of its last (docs/decisions/0103). */
  readonly isDeletion?: boolean;
}

/** A request to send, or why there is none. */
export type Rendered = { readonly request: Message } | { readonly error: string };

/** What a new delivery carries: the content to render later (docs/decisions/0120), or what was rendered already. */
export type Prepared = Rendered | { readonly content: DeliveryContent };

/** What became of a recorded attempt. */
export interface Recorded {
  /** false = someone else had the run, or its check is gone: nothing was written. */
  readonly isRecorded: boolean;
  readonly resultId: string;
  readonly change: StateStep['change'];
  readonly alertTypes: readonly AlertType[];
  readonly deliveries: number;
}

/**
 * Whether request and response are kept in full: every result that is not passing, the first passing one after a
 * change, and runs started on demand (decisions: What is kept of a result).
 */
export function isKeptInFull(outcome: Outcome, change: StateStep['change'], source: RunSource): boolean {
  return outcome !== 'passed' || change !== null || source !== 'SCHEDULER';
}
