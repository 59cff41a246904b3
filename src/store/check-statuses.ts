// Where checks stand, as the API reads it.
import { sql } from 'kysely';
import type { CheckStatus } from '#domain/check-state.ts';
import type { Outcome } from '#domain/result.ts';
import { idBytes, idOfDigits, parsed } from './codec.ts';
import { createLastRead } from './last-read.ts';
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
  /**
   * All of them, checks without any result too, oldest check first. The status of a check that did not change since it
   * was read last is the same object again.
   */
  list(accountId: string): Promise<StatusOfCheck[]>;
  find(accountId: string, checkId: string): Promise<StatusOfCheck | null>;
}

/** Rows made into statuses at once: bounds how long a list of thousands holds the loop. */
const atOnce = 1000;
/** Checks whose statuses are remembered, of all accounts together: about a kilobyte each. */
const rememberedMost = 50_000;
/** Of the beginning of a row's text: `["`, and the digits of the check's id. */
const keyLength = 34;

export function createCheckStatuses({ reader, dialect }: Database): CheckStatuses {
  // Every request reads every row, so that no answer is older than what is committed; what a row says is one text.
  const row = dialect.rowText([
    dialect.idDigits('checks.id'),
    sql.ref('checks.name'),
    sql.ref('checks.created_at'),
    sql.ref('checks.updated_at'),
    sql.ref('check_states.status'),
    sql.ref('check_states.last_outcome'),
    sql.ref('check_states.last_location'),
    dialect.idDigits('check_states.last_result_id'),
    sql.ref('check_states.certificate_valid_to'),
    sql.ref('check_states.longest_response_us'),
    sql.ref('check_states.shortest_response_us'),
    sql.ref('check_states.updated_at'),
  ]);
  const owned = (accountId: string) =>
    reader
      .selectFrom('checks')
      .leftJoin('check_states', (join) =>
        join
          .onRef('check_states.account_id', '=', 'checks.account_id')
          .onRef('check_states.check_id', '=', 'checks.id'),
      )
      .select(row.as('row'))
      .where('checks.account_id', '=', idBytes(accountId));
  // On SQLite reading holds the loop as well; elsewhere one statement is several times cheaper than many.
  const sliceSize = dialect.rowsAtOnce === null ? null : Math.min(dialect.rowsAtOnce, atOnce);
  const slice = async (accountId: string, last: StatusOfCheck | undefined): Promise<{ row: string }[]> => {
    let query = owned(accountId).orderBy('checks.created_at').orderBy('checks.id');
    if (sliceSize !== null) query = query.limit(sliceSize);
    if (last !== undefined) {
      const { createdAt, checkId } = last;
      query = query.where((where) =>
        where(where.refTuple('checks.created_at', 'checks.id'), '>', where.tuple(createdAt, idBytes(checkId))),
      );
    }
    return query.execute();
  };
  const lastRead = createLastRead(statusOf, { keyLength, itemsMost: rememberedMost });
  return {
    async list(accountId) {
      const reading = lastRead.begin(accountId);
      const statuses: StatusOfCheck[] = [];
      let rows: { row: string }[];
      do {
        rows = await slice(accountId, statuses.at(-1));
        for (const [index, { row: text }] of rows.entries()) {
          statuses.push(reading.item(text));
          if (index % atOnce === atOnce - 1) await new Promise<void>((resolve) => void setImmediate(resolve));
        }
      } while (rows.length === sliceSize);
      reading.end();
      return statuses;
    },
    async find(accountId, checkId) {
      const found = await owned(accountId).where('checks.id', '=', idBytes(checkId)).executeTakeFirst();
      return found === undefined ? null : statusOf(found.row);
    },
  };
}

/** What the text of a row holds, in its order. */
type Row = readonly [
  id: string,
  name: string,
  createdAt: number,
  changedAt: number | null,
  status: CheckStatus | null,
  lastOutcome: number | null,
  lastLocation: string | null,
  lastResultId: string | null,
  certificateValidTo: number | null,
  longestUs: number | null,
  shortestUs: number | null,
  movedAt: number | null,
];

function statusOf(text: string): StatusOfCheck {
  const [id, name, createdAt, changedAt, status, outcome, lastLocation, ...rest] = parsed<Row>(text);
  const [lastResultId, certificateValidTo, longestUs, shortestUs, movedAt] = rest;
  return Object.freeze({
    checkId: idOfDigits(id),
    name,
    status,
    lastOutcome: outcome === null ? null : outcomeCodes.decode(outcome),
    lastLocation,
    lastResultId: lastResultId === null ? null : idOfDigits(lastResultId),
    longestMs: longestUs === null ? null : longestUs / 1000,
    shortestMs: shortestUs === null ? null : shortestUs / 1000,
    certificateValidTo,
    createdAt,
    updatedAt: movedAt ?? changedAt,
  });
}
