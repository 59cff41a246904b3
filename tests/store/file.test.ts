// Opening the file: whose it is, which version it has, and what state a crash left it in.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, openSync, closeSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type SchemaMigration, migrations, NewerDatabaseError, schemaVersion } from '#store/base/migrate.ts';
import { checkLargeFile, DatabaseOpenError } from '#store/engines/sqlite/check-file.ts';
import { openSqliteFile } from '#store/engines/sqlite/file.ts';

let folder = '';
let path = '';

/** Changes the closed file from outside. */
function outside(sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

describe('a database file', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tocsin-file-'));
    path = join(folder, 'tocsin.db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is made, with its schema, when there is none, and opens again', async () => {
    for (const wasThere of [false, true]) {
      const file = openSqliteFile(path);
      assert.equal(file.wasCrashed, false);
      const version = file.reader.prepare('PRAGMA user_version').get()?.['user_version'];
      assert.equal(version, schemaVersion, wasThere ? 'opened' : 'made');
      await file.close();
    }
  });

  it('of an older version is of the present one when it was opened', async () => {
    await openSqliteFile(path).close();
    const reported: SchemaMigration[] = [];
    const next = [...migrations, () => ['ALTER TABLE results ADD COLUMN of_next_version TEXT']];
    const file = openSqliteFile(path, { onMigrating: (news) => reported.push(news), migrations: next });
    assert.equal(file.reader.prepare('PRAGMA user_version').get()?.['user_version'], next.length);
    assert.deepEqual(reported, [{ from: migrations.length, to: next.length }]);
    file.reader.prepare('SELECT of_next_version FROM results').all();
    await file.close();
  });

  it('belongs to one process: a second one reports what to do, and can open it after the first ends', async () => {
    const first = openSqliteFile(path);
    assert.throws(
      () => openSqliteFile(path),
      (error) =>
        error instanceof DatabaseOpenError &&
        error.message ===
          `${path} is in use by another Tocsin process: stop that one, or give this one its own TOCSIN_DATA_DIR`,
    );
    await Promise.all([first.close(), first.close()]);
    await openSqliteFile(path).close();
  });

  it('of a newer version is refused, left as it is, and free for the newer version', async () => {
    await openSqliteFile(path).close();
    outside(`PRAGMA user_version = ${schemaVersion + 1}`);
    const size = statSync(path).size;
    for (const _ of [1, 2]) {
      assert.throws(
        () => openSqliteFile(path),
        (error) =>
          error instanceof NewerDatabaseError && /start the newer version again, or restore/.test(error.message),
      );
    }
    assert.equal(statSync(path).size, size);
  });

  it('that was not closed is checked, and said to have crashed', async () => {
    const file = openSqliteFile(path);
    await file.queue.group((connection) =>
      connection.prepare(`INSERT INTO installation (key, value) VALUES ('note', 'kept')`).run(),
    );
    const other = join(folder, 'copy.db');
    for (const end of ['', '-wal']) copyFileSync(path + end, other + end);
    await file.close();
    const copy = openSqliteFile(other);
    assert.equal(copy.wasCrashed, true);
    assert.equal(copy.reader.prepare(`SELECT value FROM installation WHERE key = 'note'`).get()?.['value'], 'kept');
    await copy.close();
    const again = openSqliteFile(other);
    assert.equal(again.wasCrashed, false);
    await again.close();
  });

  it('that is damaged is refused, each time, with what to do, however it was closed', async () => {
    const file = openSqliteFile(path);
    await file.queue.group((connection) => {
      const insert = connection.prepare('INSERT INTO installation (key, value) VALUES (?, ?)');
      for (let n = 0; n < 2000; n++) insert.run(`note ${n}`, 'x'.repeat(100));
    });
    await file.close();
    const descriptor = openSync(path, 'r+');
    writeSync(descriptor, Buffer.alloc(8192, 0xa5), 0, 8192, statSync(path).size - 3 * 8192);
    closeSync(descriptor);
    const isRefusal = (error: unknown): boolean =>
      error instanceof DatabaseOpenError &&
      /is damaged \(.+\): restore the newest backup with ".+ restore <file>"/s.test(error.message);
    for (const _ of [1, 2]) assert.throws(() => openSqliteFile(path), isRefusal);
    const late = Promise.withResolvers<string>();
    await assert.rejects(checkLargeFile(path, { maxBytes: 0, waitMs: 60_000, onLate: late.resolve }), isRefusal);
    // Beside the service, if it takes too long.
    await checkLargeFile(path, { maxBytes: 0, waitMs: 0, onLate: late.resolve });
    assert.notEqual(await late.promise, '');
  });

  it('that is undamaged or absent is not refused by the check of large files', async () => {
    await openSqliteFile(path).close();
    const onLate = (finding: string): void => assert.fail(finding);
    await checkLargeFile(path, { maxBytes: 0, waitMs: 60_000, onLate });
    await checkLargeFile(join(folder, 'absent.db'), { maxBytes: 0, onLate });
  });

  it('that is something else is refused', () => {
    writeFileSync(path, 'These are notes, not a database. '.repeat(100));
    assert.throws(() => openSqliteFile(path), /is damaged \(file is not a database\)/);
  });

  it('in a folder that is not there is refused with the folder to set', () => {
    const error = /check that the folder exists and is writable, or set TOCSIN_DATA_DIR/;
    assert.throws(() => openSqliteFile(join(folder, 'gone', 'tocsin.db')), error);
  });
});
