// What is committed goes from the log back into the file in a thread beside, so that the log stays short.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { canCheckpointInThread } from '#store/engines/sqlite/checkpoint.ts';
import { createCheckpoints } from '#store/engines/sqlite/checkpoints.ts';
import { openConnection } from '#store/engines/sqlite/connection.ts';
import { openSqliteFile, type SqliteFile } from '#store/engines/sqlite/file.ts';
import { until } from '../support/until.ts';

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
  const file = openSqliteFile(path, { gatherMs: 0 });
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

/** How the log stands, in pages. */
function logOf(path: string): { log: number; checkpointed: number } {
  const inspecting = new DatabaseSync(path, { timeout: 5000 });
  const { log, checkpointed } = inspecting.prepare('PRAGMA wal_checkpoint(NOOP)').get() ?? {};
  inspecting.close();
  return { log: Number(log), checkpointed: Number(checkpointed) };
}

test('the log stays short however much is written, and begins anew', async (t) => {
  const { path, write } = openWritten(t);
  const longest = await write(120);
  assert.ok(longest > 12 * megabyte, `${longest} bytes: it is not copied back at every commit`);
  // The writer itself would begin only then.
  assert.ok(longest < 16_000 * 4096, `${longest} bytes`);
  await until('the log to begin anew', async () => {
    await write(1);
    return logOf(path).log < 4000;
  });
  const inspected = new DatabaseSync(path, { readOnly: true });
  t.after(() => inspected.close());
  assert.deepEqual(
    { ...inspected.prepare('SELECT count(*) AS n, sum(length(piece)) AS size FROM pieces').get() },
    {
      n: 20,
      size: 4_000_000,
    },
  );
  assert.deepEqual({ ...inspected.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
});

test('a long read keeps the log, which is copied back when the read ends', async (t) => {
  const { path, write } = openWritten(t);
  await write(1);
  const reading = new DatabaseSync(path, { readOnly: true });
  t.after(() => reading.close());
  reading.exec('BEGIN');
  reading.prepare('SELECT count(*) FROM pieces').get();
  await write(40);
  assert.ok(logOf(path).log > 9000, 'what he reads must stay');
  reading.exec('COMMIT');
  await until('the log to begin anew', async () => {
    await write(1);
    return logOf(path).log < 4000;
  });
});

test('a writer that outpaces the thread copies a thousand pages at most itself', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-log-'));
  const path = join(folder, 'tocsin.db');
  const writer = openConnection(path, 'write');
  const { database } = writer;
  const checkpoints = createCheckpoints(path, writer);
  t.after(async () => {
    await checkpoints.close();
    writer.close();
    rmSync(folder, { recursive: true });
  });
  database.exec('CREATE TABLE pieces (id INTEGER PRIMARY KEY, piece BLOB)');
  const left: number[] = [];
  const prepare = database.prepare.bind(database);
  t.mock.method(database, 'prepare', (statement: string) => {
    if (statement === 'PRAGMA wal_checkpoint(PASSIVE)') {
      const { log, checkpointed } = prepare('PRAGMA wal_checkpoint(NOOP)').get() ?? {};
      left.push(Number(log) - Number(checkpointed));
    }
    return prepare(statement);
  });
  const insert = writer.prepare('INSERT OR REPLACE INTO pieces VALUES (?, ?)');
  // Each turn of the loop commits 1,300 pages, more than it may copy itself, while the thread copies those of the last.
  const piece = new Uint8Array(4096 * 1300).fill(7);
  let isCopied = false;
  for (let tick = 0; tick < 80; tick++) {
    insert.run(tick % 4, piece);
    for (let commit = 0; commit < 4; commit++) checkpoints.noteCommit();
    isCopied ||= logOf(path).checkpointed > 0;
    await pause(1);
  }
  assert.ok(isCopied, 'the thread is at it');
  assert.deepEqual(
    left.filter((pages) => pages > 1000),
    [],
  );
});

test('a log is copied back by two connections only where SQLite is safe from itself', () => {
  const versions = ['3.44.6', '3.50.4', '3.51.2', '3.51.3', '3.53.4', '4.0.0'];
  assert.deepEqual(
    versions.map((version) => canCheckpointInThread(version)),
    [false, false, false, true, true, true],
  );
});
