// Where checks stand, as the API reads it.
import type { CheckStatus } from '#domain/check-state.ts';
import type { Outcome } from '#domain/result.ts';
import { idBytes, idText, idTextOrNull } from './codec.ts';
import { outcomeCodes } from './codes.ts';
import type { Database } from './database.ts';

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

/** The state of every check. */
export interface CheckStatuses {
  /** All of them, checks without any result too, oldest check first. */
  list(accountId: string): Promise<StatusOfCheck[]>;
  find(accountId: string, checkId: string): Promise<StatusOfCheck | null>;
}

/** Rows read at once: bounds how long a list of thousands holds the loop. */
const rowsAtOnce = 1000;

export function createCheckStatuses({ reader }: Database): CheckStatuses {
  const owned = (accountId: string) =>
    reader
      .selectFrom('checks')
      .leftJoin('check_states', (join) =>
        join
          .onRef('check_states.account_id', '=', 'checks.account_id')
          .onRef('check_states.check_id', '=', 'checks.id'),
      )
      .select(['checks.id', 'checks.name', 'checks.created_at', 'checks.updated_at as changed_at'])
      .select(['status', 'last_outcome', 'last_location', 'last_result_id', 'certificate_valid_to'])
      .select(['longest_response_us', 'shortest_response_us', 'check_states.updated_at as moved_at'])
      .where('checks.account_id', '=', idBytes(accountId));
  type Row = Awaited<ReturnType<ReturnType<typeof owned>['execute']>>[number];
  const statusOf = (row: Row): StatusOfCheck => ({
    checkId: idText(row.id),
    name: row.name,
    status: row.status as CheckStatus | null,
    lastOutcome: row.last_outcome === null ? null : outcomeCodes.decode(row.last_outcome),
    lastLocation: row.last_location,
    lastResultId: idTextOrNull(row.last_result_id),
    longestMs: row.longest_response_us === null ? null : row.longest_response_us / 1000,
    shortestMs: row.shortest_response_us === null ? null : row.shortest_response_us / 1000,
    certificateValidTo: row.certificate_valid_to,
    createdAt: row.created_at,
    updatedAt: row.moved_at ?? row.changed_at,
  });
  return {
    async list(accountId) {
      const statuses: StatusOfCheck[] = [];
      let last: Pick<Row, 'created_at' | 'id'> | undefined;
      do {
        let query = owned(accountId).orderBy('checks.created_at').orderBy('checks.id').limit(rowsAtOnce);
        if (last !== undefined) {
          const { created_at, id } = last;
          query = query.where((where) =>
            where.or([
              where('checks.created_at', '>', created_at),
              where.and([where('checks.created_at', '=', created_at), where('checks.id', '>', id)]),
            ]),
          );
        }
        const rows = await query.execute();
        statuses.push(...rows.map(statusOf));
        last = rows.length === rowsAtOnce ? rows.at(-1) : undefined;
        if (last !== undefined) await new Promise<void>((resolve) => void setImmediate(resolve));
      } while (last !== undefined);
      return statuses;
    },
    async find(accountId, checkId) {
      const row = await owned(accountId).where('checks.id', '=', idBytes(checkId)).executeTakeFirst();
      return row === undefined ? null : statusOf(row);
    },
  };
}
