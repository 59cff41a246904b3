// The one writer: shared commits that undo only what failed, in order, and a disk that is full.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Connection, openConnection } from '#store/engines/sqlite/connection.ts';
import { createWriteQueue, type WriteQueue } from '#store/engines/sqlite/write-queue.ts';
import { StoreUnavailableError } from '#store/base/unavailable.ts';

interface Notes extends Disposable {
  readonly connection: Connection;
  readonly queue: WriteQueue;
  readonly write: (note: string) => (connection: Connection) => number;
  readonly read: () => string[];
}

/** A file with one table of notes. */
function notes(): Notes {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-queue-'));
  const connection = openConnection(join(folder, 'notes.db'), 'write');
  connection.database.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT NOT NULL)');
  const reader = openConnection(join(folder, 'notes.db'), 'read');
  return {
    connection,
    queue: createWriteQueue(connection, () => undefined),
    write: (note) => (on) => Number(on.prepare('INSERT INTO notes (note) VALUES (?)').run(note).lastInsertRowid),
    read: () =>
      reader
        .prepare('SELECT note FROM notes ORDER BY id')
        .all()
        .map((row) => String(row['note'])),
    [Symbol.dispose]: () => {
      reader.close();
      connection.close();
      rmSync(folder, { recursive: true });
    },
  };
}

describe('a write while a command beside writes as well', () => {
  it('waits without holding the loop, and is done when the command has let go', async () => {
    using file = notes();
    const beside = openConnection(file.connection.database.location() ?? '', 'write');
    beside.database.exec('BEGIN IMMEDIATE');
    const waiting = [file.queue.groupNow(file.write('a')), file.queue.single(async (on) => file.write('b')(on))];
    // Of the same thread: a loop that is held would not come to end the other's transaction in time.
    for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate);
    assert.deepEqual(file.read(), []);
    beside.prepare('INSERT INTO notes (note) VALUES (?)').run('beside');
    beside.database.exec('COMMIT');
    await Promise.all(waiting);
    assert.deepEqual(file.read(), ['beside', 'a', 'b']);
    beside.close();
  });
});

describe('writes that share a commit', () => {
  it('are there for every reader when they are acknowledged', async () => {
    using file = notes();
    const all = 'abcdef'.split('').map((note) => file.queue.group(file.write(note)).then(() => file.read()));
    for (const seen of await Promise.all(all)) assert.deepEqual(seen, 'abcdef'.split(''));
  });

  it('are undone alone when they throw, and the others stay', async () => {
    using file = notes();
    const bad = (connection: Connection): never => {
      file.write('half')(connection);
      throw new Error('no');
    };
    const ended = await Promise.allSettled([
      file.queue.group(file.write('a')),
      file.queue.group(bad),
      file.queue.group(file.write('b')),
    ]);
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(file.read(), ['a', 'b']);
    await assert.rejects(file.queue.group(bad), /^Error: no$/);
    assert.deepEqual(file.read(), ['a', 'b'], 'alone in its commit too');
  });

  it('keep their order with transactions of their own, which nothing can get into', async () => {
    using file = notes();
    const gate = Promise.withResolvers<void>();
    const first = file.queue.group(file.write('1'));
    const single = file.queue.single(async (connection) => {
      file.write('2')(connection);
      await gate.promise;
      file.write('3')(connection);
    });
    const last = file.queue.group(file.write('4'));
    await first;
    await new Promise(setImmediate);
    assert.deepEqual(file.read(), ['1']);
    gate.resolve();
    await Promise.all([single, last]);
    assert.deepEqual(file.read(), ['1', '2', '3', '4']);
  });

  it('are more than one commit holds', async () => {
    using file = notes();
    await Promise.all(Array.from({ length: 1000 }, (_, n) => file.queue.group(file.write(String(n)))));
    assert.deepEqual(
      file.read(),
      Array.from({ length: 1000 }, (_, n) => String(n)),
    );
  });
});

describe('a transaction of its own', () => {
  it('is undone as a whole when it rejects', async () => {
    using file = notes();
    const refused = file.queue.single(async (connection) => {
      file.write('half')(connection);
      await Promise.resolve();
      throw new TypeError('no');
    });
    await assert.rejects(refused, TypeError);
    assert.deepEqual(file.read(), []);
    await file.queue.single(async (connection) => file.write('whole')(connection));
    assert.deepEqual(file.read(), ['whole']);
  });
});

describe('the end of the queue', () => {
  it('waits for what was asked for, refuses what comes after, and can be asked for twice', async () => {
    using file = notes();
    const writes = [file.queue.group(file.write('a')), file.queue.single(async (on) => file.write('b')(on))];
    const drains = [file.queue.drain(), file.queue.drain()];
    await assert.rejects(file.queue.group(file.write('late')), StoreUnavailableError);
    await Promise.all([...writes, ...drains]);
    assert.deepEqual(file.read(), ['a', 'b']);
  });

  it('a write that was to wait for others is made when the store closes, and its own turn then finds nothing to do', async () => {
    let read: string[] = [];
    {
      using fixture = notes();
      const written = fixture.queue.group(fixture.write('last'));
      await fixture.queue.drain();
      assert.equal(await written, 1);
      read = fixture.read();
    }
    assert.deepEqual(read, ['last']);
    // Longer than a write waits for others: an error in that turn is nobody's, and fails this test.
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  });
});

describe('a full disk', () => {
  it('refuses writes as unavailable, leaves nothing half written, and takes them again when there is room', async () => {
    using file = notes();
    const pages = (count: number): void => file.connection.database.exec(`PRAGMA max_page_count = ${count}`);
    pages(Number(Object.values(file.connection.database.prepare('PRAGMA page_count').get() ?? {})[0]));
    const big = 'x'.repeat(20_000);
    const two = (connection: Connection): void => {
      file.write('small')(connection);
      file.write(big)(connection);
    };
    await assert.rejects(file.queue.group(two), StoreUnavailableError);
    await assert.rejects(
      file.queue.single(async (connection) => two(connection)),
      StoreUnavailableError,
    );
    const together = await Promise.allSettled([file.queue.group(two), file.queue.group(file.write('fits'))]);
    const fits = together[1]?.status === 'fulfilled' ? ['fits'] : [];
    assert.equal(together[0]?.status, 'rejected');
    assert.deepEqual(file.read(), fits, 'what was acknowledged, and nothing else');
    pages(1000);
    await file.queue.group(two);
    assert.deepEqual(file.read(), [...fits, 'small', big]);
  });
});
