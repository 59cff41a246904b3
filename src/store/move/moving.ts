// What the steps of a move share (docs/decisions/0046).
import type { Seal } from '../seal.ts';
import type { HistoryBounds } from './account-tables.ts';
import type { Row } from './shape.ts';
import type { Side } from './side.ts';

/** Which account, and which command is at it. */
export interface Leaving {
  readonly accountId: Uint8Array;
  readonly moveId: Uint8Array;
}

/** What is asked for. */
export interface AccountOrder {
  readonly accountId: string;
  /** Made for this command. */
  readonly moveId: string;
  /** Where the account is reached afterwards, without a slash at its end. */
  readonly place: string;
  readonly fromSeal: Seal;
  readonly toSeal: Seal;
  /** The command line that goes on with it after an end in between, without passwords; both sides note it. */
  readonly command: string;
  /** How long what is under way may take to end, ms. */
  readonly graceMs: number;
  readonly pause: (ms: number) => Promise<void>;
}

/** Told while it goes on. */
export interface AccountListener {
  onStep(step: string): void;
  onTable(step: 'copy' | 'verify' | 'remove', table: string, rows: number): void;
  onRows(rows: number): void;
}

/** Both sides and everything that the steps share. */
export interface AccountMoving {
  readonly from: Side;
  readonly to: Side;
  readonly order: AccountOrder;
  readonly listener: AccountListener;
  readonly leaving: Leaving;
  readonly bounds: HistoryBounds;
  /** What time it is in the target, epoch ms, as far as that is known without asking. */
  readonly nowThere: () => number;
  /** Whether rows of the account may stand in the target from an earlier time. */
  readonly isAgain: boolean;
  readonly turn: (row: Row) => Row;
}
