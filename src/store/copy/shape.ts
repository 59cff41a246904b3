// What a copy has to know of a table, asked of the database itself, so that no table can be forgotten.

/** A value as it stands in a column. */
export type Cell = string | number | Uint8Array | null;
/** A row by the names of its columns. */
export type Row = Readonly<Record<string, Cell>>;

/** A table: its columns, and those of its primary key in their order. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/** Tables whose rows are about the processes of one installation: they mean nothing in another. */
const stayingTables: ReadonlySet<string> = new Set(['processes']);

/** Rows of `installation` that are about one database: how its file was left, its schema, a copy under way. */
const stayingFacts: ReadonlySet<unknown> = new Set(['file', 'schema-version', 'copying']);

/** Whether rows of a table go along when an installation is copied. */
export function isCarried({ name }: Pick<TableShape, 'name'>): boolean {
  return !stayingTables.has(name);
}

/** Tables whose rows with an `account_id` are copied by other means: keys are merged with those of the target. */
const accessTables: ReadonlySet<string> = new Set(['api_key_accounts']);

/** Whether a table holds rows of one account, which are copied with it. */
export function isOfAccounts({ name, columns }: TableShape): boolean {
  return name === 'accounts' || (columns.includes('account_id') && !accessTables.has(name));
}

/** Whether a row of a table that goes along goes along itself. */
export function isCarriedRow({ name }: Pick<TableShape, 'name'>, row: Row): boolean {
  return name !== 'installation' || !stayingFacts.has(row['key']);
}

/** Which rows of a table are meant; nothing named = all. */
export interface Slice {
  /** Columns and the values they must have. */
  readonly equal?: Row;
}

/** The statement that reads the next rows of a slice in the order of the key, and its values. */
export function selectOf(
  { name, columns, key }: TableShape,
  slice: Slice,
  after: readonly Cell[] | null,
  most: number,
  placeholder: (position: number) => string,
): { readonly sql: string; readonly values: readonly Cell[] } {
  const values: Cell[] = [];
  const place = (value: Cell): string => placeholder(values.push(value));
  const conditions = conditionsOf(slice, place);
  // Columns that are the same in all rows are left out, so that the rest is one range of the key's index.
  const walked = key.flatMap((column, index) => (slice.equal?.[column] === undefined ? [{ column, index }] : []));
  if (after !== null && walked.length > 0) {
    const places = walked.map(({ index }) => place(after[index] ?? null));
    conditions.push(`(${walked.map(({ column }) => column).join(', ')}) > (${places.join(', ')})`);
  }
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  const sql = `SELECT ${columns.join(', ')} FROM ${name}${where} ORDER BY ${key.join(', ')} LIMIT ${most}`;
  return { sql, values };
}

/** What holds of the rows of a slice. @param place takes a value and answers with what stands for it */
export function conditionsOf({ equal }: Slice, place: (value: Cell) => string): string[] {
  return Object.entries(equal ?? {}).map(([column, value]) => `${column} = ${place(value)}`);
}

/** The key of a row. */
export function keyOf({ key }: Pick<TableShape, 'key'>, row: Row): Cell[] {
  return key.map((column) => row[column] ?? null);
}
