import { type RawBuilder, sql } from 'kysely';

/** What differs between the engines; everything else is the same statement on both (design: Storage). */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Column types by what they hold. */
  readonly types: Readonly<Record<'id' | 'text' | 'integer' | 'instant' | 'bytes', string>>;
  /** What ends a CREATE TABLE whose primary key is also its order on disk. */
  readonly clustered: string;
  readonly strict: string;
  /** The text at a path of a JSON document in a column; null where there is none. */
  jsonText(column: string, path: readonly string[]): RawBuilder<string | null>;
  /** Whether a text holds a part, in any case; nothing in the part is a wildcard. */
  contains(text: RawBuilder<unknown>, part: string): RawBuilder<boolean>;
}

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  types: { id: 'BLOB', text: 'TEXT', integer: 'INTEGER', instant: 'INTEGER', bytes: 'BLOB' },
  clustered: ' STRICT, WITHOUT ROWID',
  strict: ' STRICT',
  jsonText: (column, path) => sql`json_extract(${sql.ref(column)}, ${['$', ...path].join('.')})`,
  contains: (text, part) => {
    const pattern = `%${part.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    // LIKE ignores the case of the 26 letters by itself, and is several times faster than our own lower().
    const isPlain = /^[\x20-\x7e]*$/.test(part);
    return isPlain ? sql`${text} like ${pattern} escape '\\'` : sql`lower(${text}) like ${pattern} escape '\\'`;
  },
};
