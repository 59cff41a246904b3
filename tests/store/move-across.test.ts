// A whole installation from SQLite to PostgreSQL and back: the same rows, the same sums, the days where they belong.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openSide } from '#cli/move-sides.ts';
import { copyInstallation } from '#store/copy/copy-installation.ts';
import type { VerifiedTable } from '#store/copy/copy-table.ts';
import { fill, rowsOf } from '../support/store/every-table.ts';
import { insertRow, putAccount, putCheck, putResult } from '../support/store/rows.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres, openTempStore, secretKey, type TempStore } from '../support/store/temp-store.ts';

const server = await sharedPostgres();

const noon = Date.UTC(2026, 2, 10, 12);
const dayMs = 86_400_000;
const silent = { onRemove: () => {}, onResume: () => {}, onTable: () => {}, onRows: () => {} };

async function copy(from: TempStore, to: TempStore): Promise<VerifiedTable[]> {
  await Promise.all([from.rest(), to.rest()]);
  const source = await openSide(from.address, 'copy');
  const target = await openSide(to.address, 'fill');
  try {
    return await copyInstallation(source, target, { secretKey, overwrite: false }, silent);
  } finally {
    await source.close();
    await target.close();
  }
}

describe('an installation', () => {
  it('comes to PostgreSQL and back to SQLite as it was, with the same checksums on both ways', async () => {
    await using first = openTempStore();
    await using between = await openTempPostgres(server);
    await using last = openTempStore();
    await first.rest();
    const source = await openSide(first.address, 'copy');
    const { tables } = source;
    await source.close();
    // More than are copied at first.
    for (const table of tables) fill(first.raw, table, 210, noon - 60 * dayMs);
    const there = await copy(first, between);
    const back = await copy(between, last);
    assert.deepEqual(back, there);
    for (const { name } of there) assert.deepEqual(rowsOf(last.raw, name), rowsOf(first.raw, name), name);
  });

  it('brings its old days to partitions of their own', async () => {
    await using from = openTempStore();
    await using to = await openTempPostgres(server);
    const account = putAccount(from.raw);
    const check = putCheck(from.raw, account);
    for (const day of [0, 1, 400]) putResult(from.raw, account, check, noon - day * dayMs);
    await copy(from, to);
    const places = to.raw.prepare('SELECT tableoid::regclass::text AS place FROM results ORDER BY 1').all();
    assert.deepEqual(
      places.map(({ place }) => place),
      ['results_20250203', 'results_20260309', 'results_20260310'],
    );
  });

  it('arrives where a text holds what PostgreSQL cannot', async () => {
    await using from = openTempStore();
    await using to = await openTempPostgres(server);
    insertRow(from.raw, 'runtime_stages', { name: 'a\0b', stage: 'x\0', seen_at: 1 });
    const verified = await copy(from, to);
    assert.equal(verified.find(({ name }) => name === 'runtime_stages')?.rows, 1);
    assert.match(rowsOf(to.raw, 'runtime_stages').join(), /a\ufffdb/);
  });
});
