// What is committed goes from the log back into the file in a thread beside, so that the log stays short.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteFile, type SqliteFile } from '#store/sqlite/file.ts';

const megabyte = 1 << 20;

interface Written {
  readonly file: SqliteFile;
  readonly path: string;
  /** Writes so many megabytes, 200 kB to a commit, with pauses. @returns how long the log was at most, bytes */
  readonly write: (megabytes: number) => Promise<number>;
}

/** A file with a table of a few rows that are written again and again. */
function openWritten(t: TestContext): Written {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-log-'));
  const path = join(folder, 'tocsin.db');
  const file = openSqliteFile(path, 0);
  t.after(async () => {
    await file.close();
    rmSync(folder, { recursive: true });
  });
  const piece = new Uint8Array(200_000).fill(7);
  return {
    file,
    path,
    async write(megabytes) {
      await file.queue.group((connection) =>
        connection.database.exec('CREATE TABLE IF NOT EXISTS pieces (id INTEGER PRIMARY KEY, piece BLOB)'),
      );
      let longest = 0;
      for (let count = 0; count < megabytes * 5; count++) {
        await file.queue.group((connection) =>
          connection.prepare('INSERT OR REPLACE INTO pieces VALUES (?, ?)').run(count % 20, piece),
        );
        longest = Math.max(longest, statSync(`${path}-wal`).size);
        await pause(3);
      }
      return longest;
    },
  };
}

test('the log stays short however much is written, and begins anew', async (t) => {
  const { path, write } = openWritten(t);
  const longest = await write(120);
  assert.ok(longest > 12 * megabyte, `${longest} bytes: it is not copied back at every commit`);
  assert.ok(longest < 50 * megabyte, `${longest} bytes`);
  const looked = new DatabaseSync(path, { readOnly: true });
  t.after(() => looked.close());
  assert.deepEqual(
    { ...looked.prepare('SELECT count(*) AS n, sum(length(piece)) AS size FROM pieces').get() },
    {
      n: 20,
      size: 4_000_000,
    },
  );
  assert.deepEqual({ ...looked.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
});

test('whoever reads for long keeps the log, and it is copied back when he has ended', async (t) => {
  const { path, write } = openWritten(t);
  await write(1);
  const reading = new DatabaseSync(path, { readOnly: true });
  t.after(() => reading.close());
  reading.exec('BEGIN');
  reading.prepare('SELECT count(*) FROM pieces').get();
  assert.ok((await write(70)) > 60 * megabyte, 'what he reads must stay');
  reading.exec('COMMIT');
  await write(40);
  const [, , log] = Object.values(
    new DatabaseSync(path, { timeout: 5000 }).prepare('PRAGMA wal_checkpoint(PASSIVE)').get() ?? {},
  );
  assert.ok(Number(log) < 12_000, `${String(log)} pages`);
});
