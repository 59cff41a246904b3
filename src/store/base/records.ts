// Maps records of the domain to rows and back, field by field: `createdAt` is the column `created_at`.
import type { Selectable } from 'kysely';
import { flag, type IdBytes, idBytes, idText, json, parsed } from './codec.ts';
import type { Tables } from './tables/schema.ts';

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

type Column<Table extends keyof Tables, Field extends string> = Selectable<Tables[Table]>[Snake<Field> &
  keyof Selectable<Tables[Table]>];

type Kind<Value, Stored> =
  | ([Value] extends [Stored] ? 'plain' : never)
  | ([Stored] extends [Uint8Array | null] ? 'id' : never)
  | ([Value] extends [boolean] ? 'flag' : never)
  | ([Stored] extends [string | null] ? 'json' : never);

/** How each field is stored: as it is, a UUID as bytes, a boolean as 0 or 1, a document as JSON. null stays null. */
type Kinds<Record, Table extends keyof Tables> = {
  readonly [Field in keyof Record & string]-?: Kind<Record[Field], Column<Table, Field>>;
};

type Columns<Record, Table extends keyof Tables> = {
  [Field in keyof Record & string as Snake<Field>]: Column<Table, Field>;
};

const codecs = {
  plain: { write: (value: unknown) => value, read: (value: unknown) => value },
  id: { write: (id: unknown) => idBytes(id as string), read: (bytes: unknown) => idText(bytes as IdBytes) },
  flag: { write: (value: unknown) => flag(value as boolean), read: (value: unknown) => value === 1 },
  json: { write: json, read: (text: unknown) => parsed<unknown>(text as string) },
};

/** The mapping of records, or of their fields in a table. */
export function recordMapping<Record extends object, Table extends keyof Tables>(kinds: Kinds<Record, Table>) {
  const fields = Object.entries<keyof typeof codecs>(kinds).map(([field, kind]) => ({
    field,
    column: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    ...codecs[kind],
  }));
  const mapped = (
    from: object,
    part: (field: (typeof fields)[number]) => [string, string, (value: unknown) => unknown],
  ) =>
    Object.fromEntries(
      fields.map((each) => {
        const [source, target, convert] = part(each);
        const value = (from as { readonly [name: string]: unknown })[source];
        return [target, value === null ? null : convert(value)];
      }),
    );
  return {
    rowOf: (record: Record) =>
      mapped(record, ({ field, column, write }) => [field, column, write]) as Columns<Record, Table>,
    recordOf: (row: Columns<Record, Table>) =>
      mapped(row, ({ field, column, read }) => [column, field, read]) as Record,
  };
}
