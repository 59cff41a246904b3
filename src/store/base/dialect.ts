// What differs between the engines.
import { type RawBuilder, sql, type SqlBool } from 'kysely';

/** What differs between the engines; everything else is the same statement on both (design: Storage). */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /**
   * Rows that one statement of a list may look at: on SQLite they hold the loop. null = any number: elsewhere only the
   * statement takes longer, and to find where a slice ends costs as much as to count it.
   */
  readonly rowsAtOnce: number | null;
  /** Whether rows that go by day lie day by day, so that a statement about some days looks at no others. */
  readonly hasDays: boolean;
  /** Checks whose history one statement reads at most: on SQLite it holds the loop. */
  readonly historiesAtOnce: number;
  /** Column types by what they hold; `code` is a small number that only this program chooses. */
  readonly types: Readonly<Record<'id' | 'text' | 'integer' | 'code' | 'instant' | 'bytes', string>>;
  /** What ends a CREATE TABLE whose primary key is also its order on disk. */
  readonly clustered: string;
  readonly strict: string;
  /** What ends a CREATE TABLE whose rows go day by day, by the time that the ids in a column begin with. */
  readonly byDay: (column: string) => string;
  /** The statements that complete such a table: a place for rows of days that have none of their own. */
  readonly otherDays: (table: string) => string[];
  /** The index by which its old rows are found where there are no days. */
  readonly byAge: (table: string, column: string) => string[];
  /** Statements that a table of millions of short-lived or often changed rows needs. */
  readonly churning: (table: string) => string[];
  /**
   * Whether results are counted from their keys, and attempts that were tried again from an index of their own: null =
   * rows are as good, because keys are not apart from them. Otherwise the statements that make the index of `results`.
   */
  readonly attemptsIndex: readonly string[] | null;
  /** Statements that make the indexes by which waiting runs are found. */
  readonly runIndexes: readonly string[];
  /** The column behind the location in the index by which waiting runs are found. Of one that nobody holds it is its due time. */
  readonly runsOrder: 'available_at' | 'due_at';
  /** Statements that make an index of the deliveries that are leased, where several processes deliver. */
  readonly leasedDeliveries: readonly string[];
  /** The statement that makes the tokens of a table unique: with the account, where rows may be distributed by it. */
  readonly byToken: (table: string) => string;
  /** Columns after the key of an index that spare a look into the table, where an index may hold texts of any length. */
  readonly covered: (...columns: string[]) => string;
  /** The text at a path of a JSON document in a column; null where there is none. */
  jsonText(column: string, path: readonly string[]): RawBuilder<string | null>;
  /** Whether an id in a column is one of at least one, however many: planned without a look at each of them. */
  idIn(column: string, ids: readonly Uint8Array[]): RawBuilder<SqlBool>;
  /** The digits of an id in a column, in either case. */
  idDigits(column: string): RawBuilder<string | null>;
  /** Whether a text holds a part, in any case; nothing in the part is a wildcard. */
  contains(text: RawBuilder<unknown>, part: string): RawBuilder<boolean>;
  /** An id as a value in a list of rows, where the engine cannot see from a column what it is. */
  idValue(id: Uint8Array): RawBuilder<Uint8Array>;
}

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  rowsAtOnce: 2000,
  hasDays: false,
  historiesAtOnce: 25,
  types: { id: 'BLOB', text: 'TEXT', integer: 'INTEGER', code: 'INTEGER', instant: 'INTEGER', bytes: 'BLOB' },
  clustered: ' STRICT, WITHOUT ROWID',
  strict: ' STRICT',
  byDay: () => '',
  otherDays: () => [],
  byAge: (table, column) => [`CREATE INDEX ${table}_by_age ON ${table} (${column})`],
  churning: () => [],
  attemptsIndex: null,
  runIndexes: ['CREATE INDEX runs_available ON runs (location, available_at)'],
  runsOrder: 'available_at',
  leasedDeliveries: [],
  byToken: (table) => `CREATE UNIQUE INDEX ${table}_by_token ON ${table} (token)`,
  covered: (...columns) => columns.map((column) => `, ${column}`).join(''),
  jsonText: (column, path) => sql`json_extract(${sql.ref(column)}, ${['$', ...path].join('.')})`,
  idIn: (column, ids) => sql`${sql.ref(column)} in (${sql.join(ids)})`,
  // Of nothing, hex() makes an empty text.
  idDigits: (column) => sql`nullif(hex(${sql.ref(column)}), '')`,
  contains: (text, part) => {
    // LIKE ignores the case of the 26 letters by itself, and is several times faster than our own lower().
    const isPlain = /^[\x20-\x7e]*$/.test(part);
    const pattern = patternOf(part);
    return isPlain ? sql`${text} like ${pattern} escape '\\'` : sql`lower(${text}) like ${pattern} escape '\\'`;
  },
  idValue: (id) => sql`${id}`,
};

export const postgresDialect: Dialect = {
  name: 'postgres',
  rowsAtOnce: null,
  hasDays: true,
  historiesAtOnce: 100,
  types: {
    id: 'BYTEA',
    // Compared byte by byte, as SQLite does: the order of a list is the same on both, whatever the database's language.
    text: 'TEXT COLLATE "C"',
    integer: 'BIGINT',
    code: 'SMALLINT',
    instant: 'BIGINT',
    bytes: 'BYTEA',
  },
  clustered: '',
  strict: '',
  byDay: (column) => ` PARTITION BY RANGE (${column})`,
  otherDays: (table) => [`CREATE TABLE ${table}_other PARTITION OF ${table} DEFAULT`],
  byAge: () => [],
  churning: (table) => [
    // Room on each page, so that a row that is changed stays on it; dead rows go before they are a tenth of the living.
    `ALTER TABLE ${table} SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05,
      autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 1, autovacuum_analyze_scale_factor = 0.05)`,
  ],
  // Only of days to come: to read all results would hold up every process for as long.
  attemptsIndex: ['CREATE INDEX results_attempts ON ONLY results (account_id, check_id, id) WHERE run_id IS NOT NULL'],
  runIndexes: [
    // No lease changes when a run was due.
    'CREATE INDEX runs_due ON runs (location, due_at)',
    // Runs that may overlap, by their check: several processes take runs.
    'CREATE INDEX runs_that_may_overlap ON runs (check_id) WHERE source <> 0 OR interval_ms < 60000',
    // Room for a second version of every row, which is its lease.
    'ALTER TABLE runs SET (fillfactor = 45)',
  ],
  runsOrder: 'due_at',
  leasedDeliveries: [
    'CREATE INDEX deliveries_leased ON deliveries (account_id, alert_channel_id, next_attempt_at) WHERE leased_by IS NOT NULL',
  ],
  byToken: (table) => `CREATE UNIQUE INDEX ${table}_by_token ON ${table} (token, account_id)`,
  covered: () => '',
  jsonText: (column, path) => sql`(${sql.ref(column)}::json #>> ${sql.lit(`{${path.join(',')}}`)})`,
  // A list that the planner sees makes it estimate each element of it: 1.6 ms for a hundred ids, 0.3 ms for what it does not see.
  idIn: (column, ids) =>
    ids.length === 1
      ? sql`${sql.ref(column)} = ${ids[0]}`
      : sql`${sql.ref(column)} = any(array(select unnest(${ids}::bytea[])))`,
  idDigits: (column) => sql`encode(${sql.ref(column)}, 'hex')`,
  contains: (text, part) => sql`lower(${text} collate "und-x-icu") like ${patternOf(part)} escape '\\'`,
  idValue: (id) => sql`${id}::bytea`,
};

function patternOf(part: string): string {
  return `%${part.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}
