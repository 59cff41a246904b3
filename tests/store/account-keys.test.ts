// Every row of an account can live where its account lives: no key asks whether a row of another account is like it.
import assert from 'node:assert/strict';
import { test } from '../support/store/each-engine.ts';
import type { TempStore } from '../support/store/temp-store.ts';

/** Keys of a file that are one over all accounts: it is distributed to nobody, and they go only with their tables. */
const overAllInFile = ['heartbeats (token)', 'triggers (token)'];

/** Tables that are of the installation, and no account’s. */
const ofAll = [
  'accounts',
  'api_keys',
  'identities',
  'installation',
  'locations',
  'password_resets',
  'processes',
  'runtime_stages',
  'schedule_rounds',
  'sessions',
  'setup_links',
  'status_mail_slots',
  'status_page_addresses',
  'users',
];

interface Key {
  readonly table: string;
  readonly columns: readonly string[];
}

test('every key of a row of an account holds the account, where rows may be distributed by account', async (newStore) => {
  await using temp = await newStore();
  const columns = columnsOf(temp);
  assert.ok(columns.size > 30, `${columns.size} tables`);
  const isOwned = (table: string): boolean => columns.get(table)?.includes('account_id') === true;
  assert.deepEqual([...columns.keys()].filter((table) => !isOwned(table)).toSorted(), ofAll);
  const keys = keysOf(temp).filter(({ table }) => isOwned(table));
  const withKey = new Set(keys.map(({ table }) => table));
  assert.deepEqual(
    [...columns.keys()].filter((table) => isOwned(table) && !withKey.has(table)),
    [],
    'each has a key',
  );
  const without = keys.filter((key) => !key.columns.includes('account_id'));
  assert.deepEqual(
    without.map((key) => `${key.table} (${key.columns.join(', ')})`).toSorted(),
    temp.isShared ? [] : overAllInFile,
  );
});

test('a row is found by its token alone, in any account, through an index that starts with it', async (newStore) => {
  await using temp = await newStore();
  for (const table of ['heartbeats', 'triggers']) {
    const keys = keysOf(temp).filter((key) => key.table === table);
    assert.ok(
      keys.some(({ columns: [first] }) => first === 'token'),
      JSON.stringify(keys),
    );
  }
});

/** The columns of each table. */
function columnsOf({ raw, isShared }: TempStore): Map<string, string[]> {
  const rows = raw
    .prepare(
      isShared
        ? `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns WHERE table_schema = 'public'`
        : `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m, pragma_table_info(m.name) c
           WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`,
    )
    .all();
  const columns = new Map<string, string[]>();
  for (const row of rows) {
    const table = String(row['table']);
    columns.set(table, [...(columns.get(table) ?? []), String(row['column'])]);
  }
  return columns;
}

/** Primary keys, and whatever else is unique, with their columns in order. */
function keysOf({ raw, isShared }: TempStore): Key[] {
  const rows = raw
    .prepare(
      isShared
        ? `SELECT t.relname AS "table", i.indexrelid::text AS name, a.attname AS "column" FROM pg_index i
           JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace AND n.nspname = 'public'
           CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
           LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number
           WHERE i.indisunique ORDER BY i.indexrelid, k.place`
        : `SELECT m.name AS "table", i.name AS name, c.name AS "column"
           FROM sqlite_schema m, pragma_index_list(m.name) i, pragma_index_info(i.name) c
           WHERE m.type = 'table' AND i."unique" = 1
           UNION ALL SELECT m.name, 'key', c.name FROM sqlite_schema m, pragma_table_info(m.name) c
           WHERE m.type = 'table' AND c.pk > 0`,
    )
    .all();
  const keys = new Map<string, Key>();
  for (const row of rows) {
    const [table, name, column] = [String(row['table']), String(row['name']), String(row['column'])];
    const known = keys.get(`${table} ${name}`);
    keys.set(`${table} ${name}`, { table, columns: [...(known?.columns ?? []), column] });
  }
  return [...keys.values()];
}
