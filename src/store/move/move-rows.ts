// The row of `account_moves` on either side, through which two commands at the same account cannot both write.
import { CopyError } from './copy-installation.ts';
import type { Writing } from './side.ts';

/** A move as one side knows it. */
export interface KnownMove {
  readonly moveId: Uint8Array;
  readonly state: string;
  readonly place: string | null;
  readonly note: string | null;
}

/** null = this side knows of none. */
export async function knownMove(asked: Pick<Writing, 'query'>, accountId: Uint8Array): Promise<KnownMove | null> {
  const [row] = await asked.query('SELECT move_id, state, place, note FROM account_moves WHERE account_id = ?', [
    accountId,
  ]);
  if (row === undefined) return null;
  const [place, note] = [row['place'] ?? null, row['note'] ?? null];
  return {
    moveId: row['move_id'] as Uint8Array,
    state: String(row['state']),
    place: place === null ? null : String(place),
    note: note === null ? null : String(note),
  };
}

/** What a step writes into the row, which it holds until its transaction ends; what is not named stays. */
export interface MoveChange {
  readonly state: string;
  readonly place?: string | null;
  readonly note?: string | null;
}

/** Puts a row there, whatever stood there. */
export async function beginMove(
  writing: Writing,
  accountId: Uint8Array,
  moveId: Uint8Array,
  { state, place = null, note = null }: MoveChange,
  now: number,
): Promise<void> {
  await writing.change('DELETE FROM account_moves WHERE account_id = ?', [accountId]);
  await writing.change(
    'INSERT INTO account_moves (account_id, move_id, state, place, note, renewed_at) VALUES (?, ?, ?, ?, ?, ?)',
    [accountId, moveId, state, place, note, now],
  );
}

/**
 * Changes the row if it is this command's still, and in the state that it left it in. Throws CopyError when it is not:
 * another command is at it, or the pause has lapsed.
 */
export async function changeMove(
  writing: Writing,
  accountId: Uint8Array,
  moveId: Uint8Array,
  { was, ...change }: MoveChange & { readonly was: string },
  now: number,
): Promise<void> {
  const changed = await writing.change(
    `UPDATE account_moves SET state = ?, place = coalesce(?, place), note = coalesce(?, note), renewed_at = ?
     WHERE account_id = ? AND move_id = ? AND state = ?`,
    [change.state, change.place ?? null, change.note ?? null, now, accountId, moveId, was],
  );
  if (changed !== 1) {
    throw new CopyError(
      'another command has taken over this move, or it stood still for so long that the account went on where it was: ' +
        'run the command again',
    );
  }
}
