// Differences between the engines.
import { type RawBuilder, sql, type SqlBool } from 'kysely';

/** Differences between the engines; all other statements are the same on both (design: Storage). */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /**
   * Maximum number of rows that a list statement may scan: on SQLite it blocks the event loop. null = unlimited: on a
   * server, finding the end of a slice costs as much as counting it.
   */
  readonly rowsAtOnce: number | null;
  /** Whether daily data is partitioned by day, so that statements about some days scan no others. */
  readonly hasDays: boolean;
  /** Maximum number of checks whose history one statement reads: on SQLite it blocks the event loop. */
  readonly historiesAtOnce: number;
  /** Column types by content; `code` is a small number that only this program writes. */
  readonly types: Readonly<Record<'id' | 'text' | 'integer' | 'code' | 'instant' | 'bytes', string>>;
  /** End of a CREATE TABLE that is stored in the order of its primary key. */
  readonly clustered: string;
  readonly strict: string;
  /** End of a CREATE TABLE partitioned by day, by the time in the IDs of a column. */
  readonly byDay: (column: string) => string;
  /** Statements after such a CREATE TABLE: a default partition. */
  readonly otherDays: (table: string) => string[];
  /** The index for finding old rows if there are no partitions. */
  readonly byAge: (table: string, column: string) => string[];
  /** Settings for a table of millions of short-lived or frequently updated rows. */
  readonly churning: (table: string) => string[];
  /**
   * Statements that create an index for counting results and retried attempts. null = counting rows is as fast, because
   * the table is its own index.
   */
  readonly attemptsIndex: readonly string[] | null;
  /** Statements that create the indexes for finding waiting runs. */
  readonly runIndexes: readonly string[];
  /** The column after the location in the index for waiting runs. For an unleased run this equals `due_at`. */
  readonly runsOrder: 'available_at' | 'due_at';
  /** Statements that create an index of leased deliveries, if several processes deliver. */
  readonly leasedDeliveries: readonly string[];
  /** The statement that makes the tokens of a table unique; includes the account if rows may be sharded by it. */
  readonly byToken: (table: string) => string;
  /**
   * Columns appended to the key of an index to avoid reading the table, if an index may contain texts of any length.
   */
  readonly covered: (...columns: string[]) => string;
  /** Statements that refuse updates of a table. */
  readonly appendOnly: (table: string) => string[];
  /** The text at a path of a JSON document in a column; null if there is none. */
  jsonText(column: string, path: readonly string[]): RawBuilder<string | null>;
  /** Whether an ID in a column is one of at least one others; planned independently of their number. */
  idIn(column: string, ids: readonly Uint8Array[]): RawBuilder<SqlBool>;
  /** The hex digits of an ID in a column, in either case. */
  idDigits(column: string): RawBuilder<string | null>;
  /** Whether a text contains another, case-insensitive; no wildcards. */
  contains(text: RawBuilder<unknown>, part: string): RawBuilder<boolean>;
  /** An ID as a value in a list of rows, where the engine cannot infer its type from a column. */
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
  appendOnly: (table) => [
    `CREATE TRIGGER ${table}_append_only BEFORE UPDATE ON ${table}
      BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END`,
  ],
  jsonText: (column, path) => sql`json_extract(${sql.ref(column)}, ${['$', ...path].join('.')})`,
  idIn: (column, ids) => sql`${sql.ref(column)} in (${sql.join(ids)})`,
  // hex() of NULL is an empty text.
  idDigits: (column) => sql`nullif(hex(${sql.ref(column)}), '')`,
  contains: (text, part) => {
    // LIKE ignores the case of ASCII letters, and is several times faster than our own lower().
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
    // Compared byte by byte, as in SQLite: the order of a list is the same on both, whatever the database's locale.
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
    // Leaves room on each page for updates in place; vacuums before dead rows are a tenth of the live ones.
    `ALTER TABLE ${table} SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05,
      autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 1, autovacuum_analyze_scale_factor = 0.05)`,
  ],
  // Only for future days: indexing all results would block every process meanwhile.
  attemptsIndex: ['CREATE INDEX results_attempts ON ONLY results (account_id, check_id, id) WHERE run_id IS NOT NULL'],
  runIndexes: [
    // Leases do not change when a run was due.
    'CREATE INDEX runs_due ON runs (location, due_at)',
    // Runs that may overlap, by check: several processes claim runs.
    'CREATE INDEX runs_that_may_overlap ON runs (check_id) WHERE source <> 0 OR interval_ms < 60000',
    // Leaves room for a second version of every row, its lease.
    'ALTER TABLE runs SET (fillfactor = 45)',
  ],
  runsOrder: 'due_at',
  leasedDeliveries: [
    'CREATE INDEX deliveries_leased ON deliveries (account_id, alert_channel_id, next_attempt_at) WHERE leased_by IS NOT NULL',
  ],
  byToken: (table) => `CREATE UNIQUE INDEX ${table}_by_token ON ${table} (token, account_id)`,
  covered: () => '',
  appendOnly: (table) => [
    `CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''% is append-only'', TG_TABLE_NAME; END'`,
    `CREATE TRIGGER ${table}_append_only BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_update()`,
  ],
  jsonText: (column, path) => sql`(${sql.ref(column)}::json #>> ${sql.lit(`{${path.join(',')}}`)})`,
  // The planner estimates each element of a list that it sees: 1.6 ms for a hundred IDs, against 0.3 ms for an opaque
  // one.
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
