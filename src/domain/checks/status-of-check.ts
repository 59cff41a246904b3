// Where each check of an account stands.
import type { CheckStatus } from './check-state.ts';
import type { Outcome, Reason } from '../results/result.ts';

/** Where a check stands, and what its last result was. Instants are epoch ms, times in ms with decimals. */
export interface StatusOfCheck {
  readonly checkId: string;
  readonly name: string;
  /** null = no result has moved its state yet. */
  readonly status: CheckStatus | null;
  /** When `status` began; null = no result has moved it yet. */
  readonly since: number | null;
  /** Check and group are activated. */
  readonly isActive: boolean;
  /** When it runs; null = it has no slots. */
  readonly slots: { readonly intervalMs: number; readonly phaseMs: number } | null;
  readonly lastOutcome: Outcome | null;
  /** Why the last run did not pass. */
  readonly lastReason: Reason | null;
  readonly lastLocation: string | null;
  readonly lastResultId: string | null;
  readonly longestMs: number | null;
  readonly shortestMs: number | null;
  /** End of the newest certificate seen. */
  readonly certificateValidTo: number | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}
