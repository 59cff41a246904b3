// Migrations only expand: an older process goes on working on a schema that a newer one has migrated (CONTRIBUTING.md).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { postgresDialect, sqliteDialect } from '#store/base/dialect.ts';
import { migrationsFrom } from '#store/base/migrate.ts';

const madeHere = (statements: readonly string[]): ReadonlySet<string> =>
  new Set(statements.map((statement) => /^CREATE TABLE (\w+)/i.exec(statement)?.[1] ?? ''));

/** The statements that an older process might not survive. */
function breaches(statements: readonly string[]): string[] {
  const ours = madeHere(statements);
  return statements.filter((statement) => {
    const [, changed] = /^ALTER TABLE (\w+) /i.exec(statement) ?? [];
    const [, isUnique, indexed] = /^CREATE (UNIQUE )?INDEX \w+ ON (\w+)/i.exec(statement) ?? [];
    if (/^CREATE TABLE \w+/i.test(statement)) return false;
    if (indexed !== undefined) return isUnique !== undefined && !ours.has(indexed);
    if (changed === undefined) return true;
    if (ours.has(changed) || /^ALTER TABLE \w+ SET \(/i.test(statement)) return false;
    if (!/^ALTER TABLE \w+ ADD COLUMN \w+ [^,]+$/i.test(statement)) return true;
    return (
      /\b(UNIQUE|CHECK|REFERENCES|PRIMARY|GENERATED)\b/i.test(statement) ||
      (/NOT NULL/i.test(statement) && !/DEFAULT/i.test(statement))
    );
  });
}

describe('a migration', () => {
  for (const dialect of [sqliteDialect, postgresDialect]) {
    it(`after the first one only expands, on ${dialect.name}`, () => {
      assert.deepEqual(breaches(migrationsFrom(1, dialect)), []);
    });
  }

  for (const statement of [
    'DROP TABLE runs',
    'DROP INDEX schedules_due',
    'ALTER TABLE runs DROP COLUMN source',
    'ALTER TABLE runs RENAME TO old_runs',
    'ALTER TABLE runs RENAME COLUMN source TO cause',
    'ALTER TABLE runs ADD COLUMN cause TEXT NOT NULL',
    'ALTER TABLE runs ADD COLUMN cause TEXT UNIQUE',
    'ALTER TABLE runs ADD COLUMN cause TEXT, DROP COLUMN source',
    'ALTER TABLE runs ALTER COLUMN source TYPE BIGINT',
    'ALTER TABLE runs ALTER COLUMN source SET NOT NULL',
    'CREATE UNIQUE INDEX runs_once ON runs (check_id)',
    'UPDATE runs SET source = 1',
  ]) {
    it(`that says ${statement} is noticed`, () => assert.deepEqual(breaches([statement]), [statement]));
  }

  it('may add tables, their indexes, and columns that an older process need not know', () => {
    const fine = [
      'CREATE TABLE pings (account_id BLOB NOT NULL, id BLOB NOT NULL, PRIMARY KEY (account_id, id))',
      'CREATE UNIQUE INDEX pings_once ON pings (id)',
      'ALTER TABLE pings SET (fillfactor = 70)',
      'CREATE INDEX runs_by_check ON runs (account_id, check_id)',
      'ALTER TABLE runs ADD COLUMN cause TEXT',
      'ALTER TABLE runs ADD COLUMN tries INTEGER NOT NULL DEFAULT 0',
    ];
    assert.deepEqual(breaches(fine), []);
  });
});
