// A channel that follows a check, what a result means for it, and what it is notified of.
import type { Reminders } from './alert-settings.ts';
import type { AlertType, Notified } from './alert.ts';
import type { FlappingMessage, FlappingTidings } from './flapping.ts';
import type { CheckStatus } from '../checks/check-state.ts';

/** A channel that may be notified about a check: subscribed, or notified of an alert that is still open. */
export interface Listener {
  readonly alertChannelId: number;
  /** false = no longer subscribed: it only receives the recovery. */
  readonly isSubscribed: boolean;
  /** Whether the subscription is the group's, so that the group's variables apply. */
  readonly isViaGroup: boolean;
  readonly sendFailure: boolean;
  readonly sendRecovery: boolean;
  readonly sendDegraded: boolean;
  readonly sslExpiry: boolean;
  readonly sslExpiryThreshold: number;
  /** Whether its alerts of flapping checks are grouped. Absent = false. */
  readonly grouping?: boolean;
  /** Whether it receives few messages about a flapping check. Absent = false. */
  readonly isBrief?: boolean;
  /** How long it waits after an alert (docs/decisions/0145), ms. Absent = 0. */
  readonly escalationMs?: number;
  readonly notified: Notified;
}

/** What a result means for the channels. */
export interface AlertEvent {
  readonly opens: AlertType | null;
  /** The alert that is open, which channels that waited are notified of; null = it is acknowledged or muted, or none is. */
  readonly escalates: AlertType | null;
  /** The check passes now, which closes all open alerts. */
  readonly isPassing: boolean;
  readonly isMuted: boolean;
  /** Whether the status before was acknowledged. Absent = it was not. */
  readonly wasAcknowledged?: boolean;
  /** null = the check does not flap. */
  readonly flapping: FlappingTidings | null;
  /** Epoch ms. */
  readonly now: number;
  /** Status of the check after this result. */
  readonly status: CheckStatus | null;
  readonly reminders: Reminders | null;
  readonly certificate: { readonly fingerprint: string; readonly daysRemaining: number } | null;
}

/** A notification about the status of a check. */
export interface StatusNotification {
  readonly send: readonly AlertType[];
  readonly held?: readonly AlertType[];
  readonly message?: FlappingMessage;
  readonly reminder: number | null;
  readonly notified: Pick<Notified, 'open' | 'notifiedAt' | 'reminders'> &
    Partial<Pick<Notified, 'flapping' | 'escalatesAt'>>;
}
