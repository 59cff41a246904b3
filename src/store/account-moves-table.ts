import type { IdBytes } from './codec.ts';

/** An account that moves to or from another installation, or has moved (docs/decisions/0046). */
export interface AccountMovesTable {
  account_id: IdBytes;
  /** Of the command that is at it: what another one has taken over, the first can write no more. */
  move_id: IdBytes;
  state: string;
  place: string | null;
  /** How far the copy is, JSON. */
  note: string | null;
  renewed_at: number;
}
