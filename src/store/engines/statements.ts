// Statements written once for both engines: a generator yields them one by one and receives their rows. SQLite answers
// within the turn of the event loop, PostgreSQL later.

/** A value of a statement, or of a row. */
export type Value = string | number | bigint | Uint8Array | null;

/** A statement with values `$1`, `$2`…; a list is a value in PostgreSQL only. */
export interface Statement {
  readonly text: string;
  readonly values: readonly (Value | readonly Value[])[];
}

/** Statements of a transaction, in order, and their outcome. */
export type Statements<Answer> = Generator<Statement, Answer, readonly unknown[]>;

/** Issues a statement without syntax of one engine; returns its rows. */
export function* query<Row>(text: string, values: readonly Value[] = []): Statements<Row[]> {
  return (yield { text, values }) as Row[];
}

/** Writes of a transaction whose outcome is not needed: they are made in order, at the latest when it ends. */
export interface Writes {
  /** Inserts rows that all have the same columns. @param ending what follows the rows: ON CONFLICT … */
  send(table: string, rows: readonly object[], ending?: string): void;
  change(statement: Statement): void;
}

/** An update of rows that some of their columns name. */
export interface RowUpdate<Column extends string> {
  readonly table: string;
  readonly keys: readonly Column[];
  readonly set: readonly Column[];
  /** More of the SET clause; names previous values with their table. @param given maps a column to its new value */
  readonly also?: (given: (column: Column) => string) => string;
}

/** The statement of an update. @param from its source of new values; absent = there is none */
export function updateStatement<Column extends string>(
  { table, keys, set, also }: RowUpdate<Column>,
  given: (column: Column) => string,
  from = '',
): string {
  const equal = (column: Column): string => `${column} = ${given(column)}`;
  const changes = [...set.map(equal), ...(also === undefined ? [] : [also(given)])];
  const named = keys.map((key) => `${table}.${equal(key)}`);
  return `UPDATE ${table} SET ${changes.join(', ')} ${from} WHERE ${named.join(' AND ')}`;
}
