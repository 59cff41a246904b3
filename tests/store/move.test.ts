// A whole installation in another database of the same engine: nothing forgotten, nothing doubled, whatever comes between.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe } from 'node:test';
import { openSide } from '#cli/move-sides.ts';
import { copyInstallation, type CopyListener, type CopyOrder } from '#store/copy/copy-installation.ts';
import type { VerifiedTable } from '#store/copy/copy-table.ts';
import { it, type NewStore } from '../support/store/each-engine.ts';
import { addMadeUpTable, fill, rowsOf, tableNames } from '../support/store/every-table.ts';
import { putAccount, putCheck, putResult } from '../support/store/rows.ts';
import { secretKey, type TempStore } from '../support/store/temp-store.ts';

const noon = Date.UTC(2026, 2, 10, 12);
const dayMs = 86_400_000;

const silent: CopyListener = { onRemove: () => {}, onResume: () => {}, onTable: () => {}, onRows: () => {} };

async function copy(
  from: TempStore,
  to: TempStore,
  order: Partial<CopyOrder> = {},
  listener: Partial<CopyListener> = {},
): Promise<VerifiedTable[]> {
  const source = await openSide(from.address, 'copy');
  try {
    const target = await openSide(to.address, 'fill');
    try {
      return await copyInstallation(
        source,
        target,
        { secretKey, overwrite: false, ...order },
        { ...silent, ...listener },
      );
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Two stores whose services have stopped. */
async function two(newStore: NewStore): Promise<AsyncDisposable & { from: TempStore; to: TempStore }> {
  const [from, to] = [await newStore(), await newStore()];
  const dispose = async (): Promise<void> => {
    await from[Symbol.asyncDispose]();
    await to[Symbol.asyncDispose]();
  };
  await Promise.all([from.rest(), to.rest()]);
  return { from, to, [Symbol.asyncDispose]: dispose };
}

describe('a copy of an installation', () => {
  it('carries assets of megabytes whole, a few parts at a time', async (newStore) => {
    await using from = await newStore();
    await using to = await newStore();
    const accountId = putAccount(from.raw);
    const checkId = putCheck(from.raw, accountId, { checkType: 'BROWSER' });
    const resultId = putResult(from.raw, accountId, checkId, from.clock.now());
    const content = randomBytes(3_000_000);
    const video = { sort: 'video', name: 'page', contentType: 'video/webm', content } as const;
    await from.store.resultAssets.keep({ accountId, checkId, resultId, location: 'local' }, [video], 'with-result');
    await Promise.all([from.rest(), to.rest()]);
    const batches: number[] = [];
    let table = '';
    await copy(
      from,
      to,
      {},
      {
        onTable: (_step, name) => void (table = name),
        onRows: (rows) => table === 'asset_parts' && batches.push(rows),
      },
    );
    assert.ok(batches.length > 1 && Math.max(...batches) <= 8, batches.join());
    const parts = to.raw.prepare('SELECT content FROM asset_parts ORDER BY part').all();
    assert.ok(content.equals(Buffer.concat(parts.map((part) => Buffer.from(part['content'] as Uint8Array)))));
  });

  it('holds every row of every table of the schema, and of one that no code mentions', async (newStore) => {
    await using both = await two(newStore);
    const { from, to } = both;
    for (const { raw } of [from, to]) addMadeUpTable(raw);
    const source = await openSide(from.address, 'copy');
    const { tables } = source;
    await source.close();
    assert.deepEqual(
      tables.map(({ name }) => name),
      tableNames(from.raw),
      'no table is overlooked',
    );
    for (const table of tables) {
      assert.ok(table.key.length > 0, `${table.name} has a primary key`);
      fill(from.raw, table, 7, noon - 40 * dayMs);
    }
    from.raw.exec('UPDATE processes SET seen_at = 1');
    const verified = await copy(from, to);
    assert.deepEqual(
      verified.map(({ name }) => name),
      tables
        .map(({ name }) => name)
        .filter((name) => !['processes', 'password_resets', 'sessions', 'setup_links'].includes(name)),
    );
    for (const { name, rows } of verified) {
      const isOwn = (row: string): boolean => name === 'installation' && /key="(file|schema-version)"/.test(row);
      const [there, here] = [rowsOf(from.raw, name), rowsOf(to.raw, name)].map((all) => all.filter((r) => !isOwn(r)));
      assert.deepEqual(here, there, name);
      assert.equal(rows, there?.length, name);
      assert.ok(rows >= 7, `${name} had rows to copy`);
    }
  });

  it('is refused where something stands already, and takes its place when that is said', async (newStore) => {
    await using both = await two(newStore);
    const { from, to } = both;
    putAccount(from.raw);
    const there = putAccount(to.raw);
    putCheck(to.raw, there);
    await assert.rejects(copy(from, to), /is not empty: it contains 1 rows of accounts, 1 rows of checks.*--overwrite/);
    assert.equal(rowsOf(to.raw, 'checks').length, 1, 'nothing was touched');
    const removed: string[] = [];
    await copy(from, to, { overwrite: true }, { onRemove: (all) => removed.push(...all.map(({ name }) => name)) });
    assert.deepEqual(removed, ['accounts', 'checks', 'schedules']);
    assert.deepEqual(rowsOf(to.raw, 'accounts'), rowsOf(from.raw, 'accounts'));
    assert.deepEqual(rowsOf(to.raw, 'checks'), []);
  });

  it('that was cut off is no installation, and goes on where it ended', async (newStore) => {
    await using both = await two(newStore);
    const { from, to } = both;
    const account = putAccount(from.raw);
    const check = putCheck(from.raw, account);
    for (let result = 0; result < 50; result++) putResult(from.raw, account, check, noon - result * 60_000);
    let cutOff = false;
    const cutAt = (table: string) => ({
      onTable: (_: string, name: string) => {
        cutOff = name === table;
      },
      onRows: () => {
        if (cutOff) throw new Error('the power is gone');
      },
    });
    await assert.rejects(copy(from, to, { maxBatch: 20 }, cutAt('results')), /the power is gone/);
    assert.equal(rowsOf(to.raw, 'results').length, 20);
    const open = newStoreOn(to);
    await assert.rejects(open, /a copy was not finished. Run the same migrate command again/);
    const resumed: string[] = [];
    let rows = 0;
    const verified = await copy(from, to, {}, { onResume: (table) => resumed.push(table), onRows: (n) => (rows += n) });
    assert.deepEqual(resumed, ['results']);
    assert.equal(verified.find(({ name }) => name === 'results')?.rows, 50);
    assert.ok(rows > 0);
    await (await newStoreOn(to)()).close();
  });

  it('does not go on when the source was used meanwhile', async (newStore) => {
    await using both = await two(newStore);
    const { from, to } = both;
    const account = putAccount(from.raw);
    putCheck(from.raw, account);
    const failing = { onTable: (_: string, name: string) => assert.notEqual(name, 'checks', 'cut off') };
    await assert.rejects(copy(from, to, {}, failing), /cut off/);
    from.raw.exec(`INSERT INTO installation (key, value) VALUES ('alive-at', '17')`);
    await assert.rejects(copy(from, to), /is not empty.*an earlier state of this one.*--overwrite/);
    await copy(from, to, { overwrite: true });
    assert.deepEqual(rowsOf(to.raw, 'checks'), rowsOf(from.raw, 'checks'));
  });

  it('that turns out different is not taken for one', async (newStore) => {
    await using both = await two(newStore);
    const { from, to } = both;
    const account = putAccount(from.raw);
    const listener = {
      onTable: (step: string, name: string) => {
        if (step === 'verify' && name === 'accounts') from.raw.exec(`UPDATE accounts SET name = 'changed'`);
      },
    };
    await assert.rejects(copy(from, to, {}, listener), /accounts differs .*the source was changed.*--overwrite/);
    await assert.rejects(newStoreOn(to), /was not finished/);
    await assert.rejects(copy(from, to), /is not empty/);
    await copy(from, to, { overwrite: true });
    assert.match(rowsOf(to.raw, 'accounts').join(), /changed/);
    assert.ok(account);
  });

  it('is refused with another secret key', async (newStore) => {
    await using both = await two(newStore);
    const wrong = copy(both.from, both.to, { secretKey: new Uint8Array(32).fill(8) });
    await assert.rejects(wrong, /the secret key does not match/);
    assert.deepEqual(rowsOf(both.to.raw, 'accounts'), []);
  });

  it('of a database of another version is refused', async (newStore) => {
    await using both = await two(newStore);
    const { from, to } = both;
    setVersion(from, 1);
    await assert.rejects(copy(from, to), /schema version|has version 1/);
  });
});

/** Opens the store as the service would. */
function newStoreOn({ address }: TempStore) {
  return async () => {
    const { openPostgresStore } = await import('#store/postgres-store.ts');
    const { openStore } = await import('#store/sqlite-store.ts');
    const clock = { now: () => noon };
    return address.kind === 'sqlite'
      ? openStore({ path: address.path, secretKey, clock })
      : openPostgresStore({ address: address.address, secretKey, clock });
  };
}

function setVersion({ raw, address }: TempStore, version: number): void {
  if (address.kind === 'sqlite') raw.exec(`PRAGMA user_version = ${version + 1_000_000}`);
  else raw.exec(`UPDATE installation SET value = '${version + 1_000_000}' WHERE key = 'schema-version'`);
}
