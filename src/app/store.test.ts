// What a start says of the store that it opens.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { systemClock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import { sqliteDialect } from '#store/base/dialect.ts';
import { migrationsFrom, schemaVersion } from '#store/base/migrate.ts';
import { openConfiguredStore } from './store.ts';
import { readConfig } from '#config/config.ts';

test('a start on an older database says from which version to which it brings it, one on its own version nothing', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-older-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const older = new DatabaseSync(join(folder, 'tocsin.db'));
  const [all, last] = [migrationsFrom(0, sqliteDialect), migrationsFrom(schemaVersion - 1, sqliteDialect)];
  for (const statement of all.slice(0, all.length - last.length)) older.exec(statement);
  older.exec(`PRAGMA user_version = ${schemaVersion - 1}`);
  older.close();
  const said: unknown[] = [];
  const log: Log = {
    error: () => undefined,
    warn: () => undefined,
    info: (...line) => said.push(line),
    debug: () => undefined,
  };
  const config = readConfig({ TOCSIN_DATA_DIR: folder });
  const clocks = { clock: systemClock, steadyNow: () => performance.now() };
  for (const _ of ['older', 'present']) {
    const { store } = await openConfiguredStore(config, new Uint8Array(32).fill(7), clocks, log);
    await store.close();
  }
  assert.deepEqual(said, [['store.migrating', { from: schemaVersion - 1, to: schemaVersion }]]);
});
