// Alerts: their types, and the days before a certificate's end on which there is one.
import type { SeenCertificate } from '../results/result.ts';

/** The specification's five (spec §6.1). */
export const alertTypes = [
  'ALERT_FAILURE',
  'ALERT_RECOVERY',
  'ALERT_DEGRADED',
  'ALERT_DEGRADED_RECOVERY',
  'ALERT_SSL',
] as const;
export type AlertType = (typeof alertTypes)[number];

/** What a channel last heard of a check. Kept while something is open or a certificate step was told. */
export interface Told {
  /** Whoever was told of this is told when it ends (decisions: Closing). */
  readonly open: 'failure' | 'degraded' | null;
  /** When it was last sent what is open, epoch ms; `neverSent`; null = nothing is open, or a version did not note it. */
  readonly toldAt: number | null;
  /** Reminders of it so far. */
  readonly reminders: number;
  /** SHA-256 fingerprint of each certificate told of → the step in days it was last told at; oldest first. */
  readonly certificates: Readonly<Record<string, number>>;
}

/** Stands for when a channel was sent a failure that it counts as told of: its switch held that back (decisions: Closing). */
export const neverSent = 0;

/** A fact worth telling: raised by a result, delivered to each channel that asked for its type. */
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

/** Whole days left on a certificate at `now` (epoch ms); negative when it has expired. */
export function sslDaysRemaining(certificate: SeenCertificate, now: number): number {
  return Math.floor((certificate.validTo - now) / 86_400_000);
}

/**
 * The step in days that a certificate has reached, or null while it is far from its end.
 * The channel's threshold takes the place of every step above it (decisions: ALERT_SSL).
 */
export function sslStep(daysRemaining: number, threshold: number): number | null {
  if (daysRemaining < 0) return 0;
  const steps = [threshold, ...sslSteps.filter((step) => step < threshold && step > 0)];
  return steps.findLast((step) => daysRemaining <= step) ?? null;
}
