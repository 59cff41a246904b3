// Where each check of an account stands.
import type { CheckStatus } from './check-state.ts';
import type { Outcome } from './result.ts';

/** Where a check stands, and what its last result was. Instants are epoch ms, times in ms with decimals. */
export interface StatusOfCheck {
  readonly checkId: string;
  readonly name: string;
  /** null = no result has moved its state yet. */
  readonly status: CheckStatus | null;
  readonly lastOutcome: Outcome | null;
  readonly lastLocation: string | null;
  readonly lastResultId: string | null;
  readonly longestMs: number | null;
  readonly shortestMs: number | null;
  /** End of the newest certificate seen. */
  readonly certificateValidTo: number | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}
