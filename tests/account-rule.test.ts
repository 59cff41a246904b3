// The rule that statements name the account: what it lets pass, and that it notices what it is for.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Mention, mentionsOf } from './support/laws/account-rule.ts';

const owned = new Map([
  ['accounts', 'id'],
  ...['runs', 'results', 'checks', 'usage', 'notified'].map((table): [string, string] => [table, 'account_id']),
]);

const fine = [
  'SELECT * FROM runs WHERE account_id = ? AND id = ?',
  'select "id" from "runs" as "r" where "r"."account_id" = $1::bytea and ("r"."id" = $2 or "r"."id" = $3)',
  'SELECT * FROM runs WHERE id = ? AND (location = ? AND account_id IN (?, ?))',
  'SELECT * FROM runs WHERE account_id = ANY($1) AND due_at BETWEEN $2 AND $3',
  'SELECT * FROM runs WHERE (account_id, id) IN (SELECT * FROM unnest($1::bytea[], $2::bytea[]))',
  'SELECT * FROM runs WHERE (account_id, id) = (?, ?) FOR UPDATE SKIP LOCKED',
  'SELECT * FROM checks c JOIN runs r ON r.account_id = c.account_id AND r.check_id = c.id WHERE c.account_id = ?',
  'SELECT * FROM checks JOIN runs USING (account_id) WHERE checks.account_id = ?',
  'SELECT * FROM checks c LEFT JOIN notified t ON t.account_id = c.account_id WHERE c.account_id = ?',
  'SELECT a.id FROM accounts a LEFT JOIN usage u ON u.account_id = a.id WHERE a.id = ?',
  'SELECT * FROM checks c WHERE account_id = ? AND EXISTS (SELECT 1 FROM runs r WHERE r.account_id = c.account_id)',
  'UPDATE runs SET attempt = attempt + 1 WHERE account_id = ?1 AND id = ?2',
  'UPDATE runs r SET due_at = e.at FROM unnest($1, $2) AS e (account_id, at) WHERE r.account_id = e.account_id',
  'SELECT * FROM unnest($1, $2) WITH ORDINALITY AS k (account_id, n) JOIN runs r ON r.account_id = k.account_id',
  'DELETE FROM runs r USING unnest($1) AS e (account_id) WHERE r.account_id = e.account_id RETURNING r.id',
  'INSERT INTO runs (account_id, id) VALUES (?, ?) ON CONFLICT (account_id, id) DO UPDATE SET due_at = runs.due_at + 1',
  'INSERT INTO runs (account_id, id) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM results WHERE account_id = ?1)',
  'WITH old AS (SELECT account_id, id FROM runs WHERE account_id = ?) SELECT * FROM old JOIN results r ON r.account_id = old.account_id',
];

/** Each touches exactly one table without its account. */
const breaches = [
  'SELECT * FROM runs WHERE id = ?',
  'SELECT account_id FROM runs',
  'UPDATE runs SET leased_by = NULL WHERE id = ?',
  'UPDATE runs SET account_id = ?',
  'DELETE FROM runs WHERE id = ?',
  'INSERT INTO runs (id) VALUES (?)',
  'INSERT INTO runs SELECT * FROM unnest($1)',
  'SELECT * FROM runs WHERE account_id = ? OR id = ?',
  'SELECT * FROM runs WHERE NOT account_id = ?',
  'SELECT * FROM runs WHERE NOT (account_id = ?)',
  'SELECT * FROM runs WHERE account_id <> ?',
  'SELECT * FROM runs WHERE account_id > ?',
  'SELECT * FROM runs WHERE account_id NOT IN (?)',
  'SELECT * FROM runs WHERE (account_id, id) > (?, ?)',
  'SELECT * FROM runs WHERE account_id = account_id',
  'SELECT * FROM runs WHERE account_id = ? IS NOT TRUE',
  'SELECT * FROM runs WHERE id = CASE WHEN x AND account_id = ? AND y THEN 1 END',
  'SELECT * FROM runs WHERE account_id = coalesce(?, account_id)',
  'SELECT * FROM checks c JOIN runs r ON r.check_id = c.id WHERE c.account_id = ?',
  'SELECT * FROM checks c, runs r WHERE c.account_id = ? AND r.check_id = c.id',
  'SELECT * FROM checks c LEFT JOIN notified t ON c.account_id = ? AND t.account_id = ?',
  'SELECT * FROM checks c WHERE c.account_id = ? AND EXISTS (SELECT 1 FROM runs r WHERE r.check_id = c.id)',
  'SELECT * FROM checks c WHERE c.account_id = ? AND c.id IN (SELECT check_id FROM runs)',
  'SELECT (SELECT count(*) FROM runs) FROM checks WHERE account_id = ?',
  'SELECT id FROM runs WHERE account_id = ? UNION ALL SELECT id FROM results',
  'WITH old AS (SELECT account_id FROM runs) SELECT * FROM old',
  'WITH gone AS (DELETE FROM runs WHERE id = ? RETURNING 1) SELECT count(*) FROM gone',
  'SELECT * FROM (SELECT account_id FROM runs) r',
  'SELECT 1; DELETE FROM runs',
  'SELECT id FROM accounts',
  'TRUNCATE TABLE runs',
  'INSERT INTO runs (account_id, id) SELECT account_id, id FROM results',
  'INSERT INTO usage (account_id) VALUES (?) ON CONFLICT DO UPDATE SET used = (SELECT count(*) FROM runs)',
];

function unbound(statement: string): readonly Mention[] {
  return mentionsOf(statement, owned).filter(({ isBound }) => !isBound);
}

describe('a statement that names the account', () => {
  for (const statement of fine) {
    it(`passes: ${statement}`, () => {
      assert.deepEqual(unbound(statement), []);
      assert.ok(mentionsOf(statement, owned).length > 0, 'it was read');
    });
  }
});

describe('a statement without the account', () => {
  for (const statement of breaches) it(`is noticed: ${statement}`, () => assert.equal(unbound(statement).length, 1));

  it('is noticed once for each table', () => {
    const tables = unbound('SELECT * FROM checks c JOIN runs r ON r.account_id = c.account_id').map(
      ({ table }) => table,
    );
    assert.deepEqual(tables, ['checks', 'runs']);
  });
});

describe('a statement that is not understood', () => {
  for (const statement of [
    'MERGE INTO runs USING x ON true',
    'SELECT * FROM runs WHERE `id` = 1',
    'UPDATE OR IGNORE runs SET id = 1',
  ]) {
    it(`does not pass: ${statement}`, () => assert.throws(() => mentionsOf(statement, owned)));
  }

  it('but makes or sets something passes, for it touches no rows', () => {
    for (const text of [
      'CREATE TABLE runs (account_id BLOB)',
      'PRAGMA user_version = 3; COMMIT',
      'BEGIN; SET LOCAL lock_timeout = 8000',
    ]) {
      assert.deepEqual(mentionsOf(text, owned), []);
    }
  });
});
