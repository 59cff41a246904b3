// Types of alerts, and the days before certificate expiry at which one is raised.
import type { SeenCertificate } from '../results/result.ts';

/** The five types of the specification (spec §6.1). */
export const alertTypes = [
  'ALERT_FAILURE',
  'ALERT_RECOVERY',
  'ALERT_DEGRADED',
  'ALERT_DEGRADED_RECOVERY',
  'ALERT_SSL',
] as const;
export type AlertType = (typeof alertTypes)[number];

/**
 * What a channel was last notified of about a check. Stored while an alert is open or a certificate step was notified.
 */
export interface Notified {
  /** A channel that received this alert also receives its recovery (decisions: Closing). */
  readonly open: 'failure' | 'degraded' | null;
  /**
   * When the open alert was last sent, epoch ms; `neverSent`; null = none is open, or an older version did not record
   * it.
   */
  readonly notifiedAt: number | null;
  /** Reminders sent so far. */
  readonly reminders: number;
  /** What it knows of a flapping check; null = nothing. */
  readonly flapping: FlappingNotice | null;
  /** SHA-256 fingerprint of each notified certificate → the last notified step in days; oldest first. */
  readonly certificates: Readonly<Record<string, number>>;
  /** When it is notified of the open alert unless that is acknowledged, epoch ms; null or absent = it does not wait. */
  readonly escalatesAt?: number | null;
}

/** What a channel was notified of about a flapping check (docs/decisions/0138). */
export interface FlappingNotice {
  /** When the check began to flap, epoch ms; null = it no longer does. */
  readonly since: number | null;
  /** The delivery that collects held alerts; null = none. */
  readonly collectingId: string | null;
  /** The incident that all its messages carry until the channel knows that the check passes; null = that of the alert. */
  readonly incidentId: string | null;
  /** The delivery that reports the end. While it waits, the next alerts carry the incident, and so supersede it. */
  readonly endedBy?: string;
}

/** Send time of a failure that the channel's settings suppressed but that counts as notified (decisions: Closing). */
export const neverSent = 0;

/** An alert raised by a result, delivered to each channel that receives its type. */
export interface Alert {
  readonly accountId: string;
  readonly id: string;
  readonly checkId: string;
  readonly resultId: string;
  readonly alertType: AlertType;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** Days at which ALERT_SSL is raised; 0 = expired. */
export const sslSteps = [30, 14, 7, 3, 1, 0] as const;

/** Whole days until a certificate expires at `now` (epoch ms); negative after expiry. */
export function sslDaysRemaining(certificate: SeenCertificate, now: number): number {
  return Math.floor((certificate.validTo - now) / 86_400_000);
}

/**
 * The step in days that a certificate has reached; null = none yet. The channel's threshold replaces all larger steps
 * (decisions: ALERT_SSL).
 */
export function sslStep(daysRemaining: number, threshold: number): number | null {
  if (daysRemaining < 0) return 0;
  const steps = [threshold, ...sslSteps.filter((step) => step < threshold && step > 0)];
  return steps.findLast((step) => daysRemaining <= step) ?? null;
}
