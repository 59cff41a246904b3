// The status of each check of an account.
import type { Acknowledger } from '../alerts/incident.ts';
import type { Suppressor } from '../alerts/suppression.ts';
import type { CheckStatus } from './check-state.ts';
import type { Outcome, Reason } from '../results/result.ts';

/** The status of a check and its last result. Times are epoch ms, durations ms with decimals. */
export interface StatusOfCheck {
  readonly checkId: string;
  readonly name: string;
  /** null = no result has changed its state yet. */
  readonly status: CheckStatus | null;
  /** When `status` began; null = no result has changed its state yet. */
  readonly since: number | null;
  /** Whether check and group are activated. */
  readonly isActive: boolean;
  /** Its schedule; null = none. */
  readonly slots: { readonly intervalMs: number; readonly phaseMs: number } | null;
  readonly lastOutcome: Outcome | null;
  /** Why the last run did not pass. */
  readonly lastReason: Reason | null;
  readonly lastLocation: string | null;
  readonly lastResultId: string | null;
  readonly longestMs: number | null;
  readonly shortestMs: number | null;
  /** Expiry of the newest certificate seen. */
  readonly certificateValidTo: number | null;
  /** The open incident. */
  readonly incidentId: string | null;
  readonly acknowledgedAt: number | null;
  readonly acknowledgedBy: Acknowledger | null;
  readonly suppressedBy: Suppressor | null;
  /** Since when it flaps; null = it does not. */
  readonly flappingSince: number | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}
