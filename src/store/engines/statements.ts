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
