// Every statement that the store issues in a file of tests is recorded, and judged when its process ends.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { type AccountException, accountExceptions } from './account-exceptions.ts';
import { statusPageExceptions } from './status-page-exceptions.ts';
import { mentionsOf } from './account-rule.ts';
import type { RawRows } from '../store/raw-rows.ts';

type Engine = 'SQLite' | 'PostgreSQL';

type Issued = Readonly<Record<Engine, Set<string>>>;

/** By the name of the file of tests. */
const issuedIn = new Map<string, Issued>();
/** Of the file whose case runs. */
let issued: Issued = issuedOf('');
const doors = new WeakSet<object>();
const owned: Partial<Record<Engine, ReadonlyMap<string, string>>> = {};

/** Fewer different statements than the opening of a store and one case issue on an engine. */
const fewest = 8;

/** Ends the name under which statements of cases are recorded that are run on SQLite alone. */
export const onSqliteAlone = ' on SQLite alone';

/** From here on what is issued counts for this file of tests. */
export function recordFor(file: string): void {
  issued = issuedOf(file);
}

/** What the store has issued in the file of tests whose case runs. */
export function issuedStatements(engine: Engine): ReadonlySet<string> {
  return issued[engine];
}

function issuedOf(file: string): Issued {
  const kept = issuedIn.get(file) ?? { SQLite: new Set(), PostgreSQL: new Set() };
  issuedIn.set(file, kept);
  return kept;
}

/** Begins to record what goes to either engine, by whatever connection of this thread. */
export function recordStatements(): void {
  // oxlint-disable-next-line typescript/unbound-method -- called below on the connection itself
  const { prepare, exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...given) {
    if (!doors.has(this)) issued.SQLite.add(given[0]);
    return prepare.apply(this, given);
  };
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
    if (!doors.has(this)) issued.SQLite.add(sql);
    exec.call(this, sql);
  };
  // oxlint-disable-next-line typescript/unbound-method -- the same
  const { query } = Client.prototype;
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const [statement] = given as [string | { readonly text?: string }];
    const text = typeof statement === 'string' ? statement : statement.text;
    if (text !== undefined) issued.PostgreSQL.add(text);
    return (query as (...values: unknown[]) => unknown).apply(this, given);
  } as Client['query'];
}

/** A test's own door to a store: what goes through it is none of the store's; which tables are owned is asked there. */
export function noteDoor(engine: Engine, raw: RawRows): void {
  doors.add(raw);
  const names =
    engine === 'SQLite'
      ? `SELECT m.name AS name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'account_id'
         WHERE m.type = 'table'`
      : `SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'account_id'`;
  owned[engine] ??= new Map([
    // The one table whose own id is the account's.
    ['accounts', 'id'],
    ...raw
      .prepare(names)
      .all()
      .map(({ name }): [string, string] => [String(name), 'account_id']),
  ]);
}

/**
 * Fails on statements that touch rows of accounts without the account, on exceptions that were not needed, and when
 * hardly anything was recorded.
 *
 * @param file the name of the file of tests
 * @param isWhole whether every case of the file was run
 */
export function assertAccountsNamed(engine: Engine, file: string, isWhole: boolean): void {
  const tables = owned[engine];
  if (tables === undefined) return;
  assert.ok(tables.size > 15, `the schema has only ${tables.size} tables that accounts own`);
  const exceptions = [...accountExceptions, ...statusPageExceptions].filter(
    (each) => each.engine === undefined || each.engine === engine,
  );
  const needed = new Set<AccountException>();
  const breaches = new Set<string>();
  const statements = new Set([...issuedOf(file)[engine], ...issuedOf(file + onSqliteAlone)[engine]]);
  for (const statement of statements) {
    const plain = plainOf(statement);
    for (const { table, isBound } of mentionsOf(statement, tables)) {
      if (isBound) continue;
      const exception = exceptions.find(
        (each) => (each.table ?? (each.seenIn === file ? table : null)) === table && each.statement.test(plain),
      );
      if (exception === undefined) breaches.add(`${table} without its account in: ${plain}`);
      else needed.add(exception);
    }
  }
  assert.deepEqual([...breaches], [], `${file} on ${engine}`);
  if (!isWhole) return;
  const all = new Set([...issuedIn.values()].flatMap((each) => [...each[engine]]));
  assert.ok(all.size >= fewest, `only ${all.size} statements were read on ${engine}`);
  const idle = exceptions.filter((each) => each.seenIn === file && !needed.has(each));
  assert.deepEqual(idle, [], `exceptions that no statement needs any more on ${engine}`);
}

/**
 * Fails if cases that are run on SQLite alone issue a kind of statement that no case of their file that is run on both
 * issues. It does not see conditions, nor statements that PostgreSQL alone has (path, `dialect`): cases about those are run
 * on both, as CONTRIBUTING.md says.
 */
export function assertIssuedOnBoth(file: string): void {
  const known = new Set([...issuedOf(file).SQLite].map(shapeOf));
  const unknown = [...issuedOf(file + onSqliteAlone).SQLite].filter((statement) => !known.has(shapeOf(statement)));
  assert.deepEqual(unknown.map(plainOf), [], `${file}: is issued on SQLite alone: run the case on both engines`);
}

/** What a statement does with which tables, whatever its columns, conditions and values. */
function shapeOf(statement: string): string {
  return plainOf(statement).match(shapeWords)?.join(' ') ?? '';
}

const shapeWords =
  /\b(?:(?:insert into|update|delete from|from|join) [a-z_(]+|group by|having|distinct|over|union|with|exists|on conflict|returning|limit|json_each)(?![a-z_])/g;

/** In small letters, without quotes, with single spaces, `?` for each parameter and for each list of them. */
function plainOf(statement: string): string {
  return (
    statement
      .replaceAll(/\s+/g, ' ')
      .replaceAll('"', '')
      // As SQLite is handed it: see connection.ts.
      .replaceAll('+?', '?')
      .replaceAll(/\$\d+(::\w+(\[\])?)?|\?\d+/g, '?')
      .replaceAll(/\?(, \?)+/g, '?')
      .toLowerCase()
      .trim()
  );
}
