// Lists of incidents read what they show, not all incidents of an account.
import assert from 'node:assert/strict';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { issuedStatements } from '../support/laws/statements.ts';
import { test } from '../support/store/each-engine.ts';
import { putAccount } from '../support/store/rows.ts';

const everything = { from: null, to: null, checkId: null, state: null };

test('lists of open incidents, and of those of a check, use their indexes', async (newStore, engine) => {
  await using temp = await newStore();
  const { raw, store } = temp;
  const accountId = putAccount(raw);
  const checks = Array.from({ length: 40 }, newId);
  raw.exec('BEGIN');
  for (let count = 0; count < 2000; count++) {
    raw
      .prepare(
        `INSERT INTO incidents (account_id, id, check_id, check_name, check_type, kind, started_at, opened_at, ended_at,
           first_alert_id, result_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        idBytes(accountId),
        idBytes(newId()),
        idBytes(checks[count % checks.length] ?? ''),
        'Shop',
        'API',
        'failing',
        count,
        count,
        count % 500 === 0 ? null : count,
        idBytes(newId()),
        idBytes(newId()),
      );
  }
  raw.exec('COMMIT');
  if (engine === 'PostgreSQL') raw.exec('ANALYZE incidents');
  const plansOf = async (filter: object): Promise<string[]> => {
    const before = new Set(issuedStatements(engine));
    const { total, rows } = await store.incidents.list(
      accountId,
      { ...everything, ...filter },
      { limit: 5, offset: 0 },
    );
    assert.equal(rows.length, Math.min(5, total));
    const issued = [...issuedStatements(engine)].filter(
      (text) => !before.has(text) && text.includes('from "incidents"'),
    );
    assert.equal(issued.length, 2, 'the rows and their number');
    const explain = engine === 'SQLite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN (GENERIC_PLAN)';
    return issued.map((text) => JSON.stringify(raw.prepare(`${explain} ${text}`).all()));
  };
  for (const plan of await plansOf({ state: 'open' })) assert.match(plan, /incidents_open/);
  for (const plan of await plansOf({ state: 'open', from: 1 })) assert.match(plan, /incidents_open/);
  for (const plan of await plansOf({ checkId: checks[0] })) assert.match(plan, /incidents_by_check/);
  for (const plan of await plansOf({ checkId: checks[0], state: 'ended' })) assert.match(plan, /incidents_by_check/);
});
