// Table definitions read from the database itself, so that no table can be forgotten.

/** A value of a column. */
export type Cell = string | number | Uint8Array | null;
/** A row by column name. */
export type Row = Readonly<Record<string, Cell>>;

/** A table: its columns, and its primary key in order. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/** Tables that are specific to a running installation: its processes and their locations, sign-ins and setup links. */
const stayingTables: ReadonlySet<string> = new Set(['processes', 'locations', 'sessions', 'setup_links']);

/** Rows of `installation` that are specific to a database: its state at shutdown, its schema, a copy in progress. */
const stayingFacts: ReadonlySet<unknown> = new Set(['file', 'schema-version', 'copying']);

/** Whether rows of a table are copied with an installation. */
export function isCarried({ name }: Pick<TableShape, 'name'>): boolean {
  return !stayingTables.has(name);
}

/**
 * Tables whose rows with an `account_id` are not copied with the account: keys are merged with those of the target, and
 * users belong to the installation.
 */
const accessTables: ReadonlySet<string> = new Set(['api_key_accounts', 'memberships', 'invites']);

/** Whether a table contains rows of one account, which are copied with it. */
export function isOfAccounts({ name, columns }: TableShape): boolean {
  return name === 'accounts' || (columns.includes('account_id') && !accessTables.has(name));
}

/** Whether a row of a copied table is copied itself. */
export function isCarriedRow({ name }: Pick<TableShape, 'name'>, row: Row): boolean {
  return name !== 'installation' || !stayingFacts.has(row['key']);
}

/** Filter for rows of a table; empty = all. */
export interface Slice {
  /** Columns and their required values. */
  readonly equal?: Row;
}

/** The statement that reads the next rows of a slice in key order, and its values. */
export function selectOf(
  { name, columns, key }: TableShape,
  slice: Slice,
  after: readonly Cell[] | null,
  max: number,
  placeholder: (position: number) => string,
): { readonly sql: string; readonly values: readonly Cell[] } {
  const values: Cell[] = [];
  const place = (value: Cell): string => placeholder(values.push(value));
  const conditions = conditionsOf(slice, place);
  // Omits columns that are the same in all rows, so that the rest is one range of the key's index.
  const walked = key.flatMap((column, index) => (slice.equal?.[column] === undefined ? [{ column, index }] : []));
  if (after !== null && walked.length > 0) {
    const places = walked.map(({ index }) => place(after[index] ?? null));
    conditions.push(`(${walked.map(({ column }) => column).join(', ')}) > (${places.join(', ')})`);
  }
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const sql = `SELECT ${columns.join(', ')} FROM ${name}${where} ORDER BY ${key.join(', ')} LIMIT ${max}`;
  return { sql, values };
}

/** Condition for the rows of a slice. @param place takes a value and returns its placeholder */
export function conditionsOf({ equal }: Slice, place: (value: Cell) => string): string[] {
  return Object.entries(equal ?? {}).map(([column, value]) => `${column} = ${place(value)}`);
}

/** The key of a row. */
export function keyOf({ key }: Pick<TableShape, 'key'>, row: Row): Cell[] {
  return key.map((column) => row[column] ?? null);
}
