// Tables of Uptime Kuma are read up to a limit.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeKumaDatabase } from '../../../../tests/support/imports/kuma.ts';
import { readKumaDatabase } from './kuma-database.ts';

test('a table of 100,000 rows is read, with one more it is refused', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-kuma-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'kuma.db');
  writeKumaDatabase(path, 2);
  const database = new DatabaseSync(path);
  database.exec(`DELETE FROM tag;
    WITH RECURSIVE ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < 100000)
    INSERT INTO tag (name, color) SELECT 'tag ' || id, 'red' FROM ids`);
  assert.equal(readKumaDatabase(path).tag.length, 100_000);
  database.exec("INSERT INTO tag (name, color) VALUES ('one', 'red')");
  database.close();
  assert.throws(() => readKumaDatabase(path), new RegExp(`${path}: the table tag has more than 100000 rows$`));
});
