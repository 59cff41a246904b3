// Accounts that move between installations, as a running service sees them; the moving itself is in move/.
import type { Kysely } from 'kysely';
import {
  type AccountMove,
  type MoveState,
  pauseLapsesMs,
  silentMostMs,
  type StalledMove,
} from '#domain/account-move.ts';
import { neverAt } from '#domain/heartbeat.ts';
import { type IdBytes, idText } from './codec.ts';
import type { Database } from './database.ts';
import { parkedFrom, parkedMs } from './parked.ts';
import { inStep } from './schedule-rounds.ts';
import type { Tables } from './schema.ts';

/** Moves of accounts, to this installation and away. */
export interface AccountMoves {
  /** All that are known; few. */
  all(): Promise<AccountMove[]>;
  /** Those whose command was cut off or hangs, the longest silent first. */
  stalled(): Promise<StalledMove[]>;
  /** Accounts whose pause nobody renews go on here; answers with how many. */
  resumeLapsed(): Promise<number>;
}

export function createAccountMoves({ reader, transaction, clock }: Database): AccountMoves {
  return {
    async all() {
      const rows = await reader.selectFrom('account_moves').select(['account_id', 'state', 'place']).execute();
      return rows.map(({ account_id, state, place }) => ({
        accountId: idText(account_id),
        state: state as MoveState,
        place,
      }));
    },
    async stalled() {
      const now = clock.now();
      const rows = await reader
        .selectFrom('account_moves')
        .select(['account_id', 'state', 'note', 'renewed_at'])
        .where('state', 'in', Object.keys(silentMostMs))
        .orderBy('renewed_at')
        .execute();
      return rows
        .map(({ account_id, state, note, renewed_at }) => ({
          accountId: idText(account_id),
          state: state as MoveState,
          since: renewed_at,
          command: commandOf(note),
        }))
        .filter(({ state, since }) => now - since > (silentMostMs[state] ?? Number.POSITIVE_INFINITY));
    },
    async resumeLapsed() {
      const lapsed = (tx: Kysely<Tables>) =>
        tx
          .selectFrom('account_moves')
          .select('account_id')
          .where('state', '=', 'leaving')
          .where('renewed_at', '<', clock.now() - pauseLapsesMs)
          .execute();
      // Looked for outside first: hardly ever is there one.
      if ((await lapsed(reader)).length === 0) return 0;
      return transaction(async (tx) => {
        const rows = await lapsed(tx);
        for (const { account_id } of rows) {
          await unpark(tx, account_id, clock.now());
          await tx.deleteFrom('account_moves').where('account_id', '=', account_id).execute();
        }
        return rows.length;
      });
    },
  };
}

/** What the command has noted of itself. */
function commandOf(note: string | null): string | null {
  if (note === null || note === '') return null;
  return (JSON.parse(note) as { readonly command?: string }).command ?? null;
}

async function unpark(tx: Kysely<Tables>, account: IdBytes, now: number): Promise<void> {
  await tx
    .updateTable('schedules')
    .set((row) => ({ next_due_at: row('next_due_at', '-', parkedMs), moved_at: now }))
    .where('account_id', '=', account)
    .where('next_due_at', '>=', parkedFrom)
    .where('next_due_at', '<', inStep)
    .execute();
  // Pings were turned away meanwhile: every period begins anew.
  await tx
    .updateTable('heartbeats')
    .set((row) => ({
      due_at: row('due_at', '-', parkedMs),
      timer_at: row.case().when('timer_at', 'is', null).then(null).else(now).end(),
    }))
    .where('account_id', '=', account)
    .where('due_at', '>=', parkedFrom)
    .where('due_at', '<', neverAt)
    .execute();
  await tx
    .updateTable('runs')
    .set((row) => ({ available_at: row('available_at', '-', parkedMs) }))
    .where('account_id', '=', account)
    .where('available_at', '>=', parkedFrom)
    .execute();
  await tx
    .updateTable('deliveries')
    .set((row) => ({ next_attempt_at: row('next_attempt_at', '-', parkedMs) }))
    .where('account_id', '=', account)
    .where('next_attempt_at', '>=', parkedFrom)
    .execute();
}
