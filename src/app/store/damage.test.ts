// Damage of the database that shows while the service runs: one notice, one log line, and readiness.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { createDamage } from './damage.ts';

function fixture(isFile: boolean) {
  const logged: string[] = [];
  const note = (message: string): void => void logged.push(message);
  const log = { debug: note, info: note, warn: note, error: note };
  return { logged, damage: createDamage(isFile, { now: () => 5000 }, log) };
}

test('errors of a damaged SQLite file are noticed, with the command that restores a backup', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-damage-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const { damage, logged } = fixture(true);
  damage.noteError(new Error('something else'));
  assert.deepEqual([damage.notices(), damage.faults(), logged], [[], [], []]);
  const path = join(folder, 'cut.db');
  const made = new DatabaseSync(path);
  made.exec(
    'CREATE TABLE notes (note TEXT); INSERT INTO notes SELECT hex(randomblob(9000)) FROM (VALUES (1), (2), (3))',
  );
  made.close();
  truncateSync(path, 8192);
  const other = join(folder, 'other.db');
  writeFileSync(other, 'no database'.repeat(1000));
  for (const broken of [path, other]) {
    const database = new DatabaseSync(broken);
    try {
      database.prepare('SELECT sum(length(note)) FROM notes').get();
      assert.fail('it is damaged');
    } catch (cause) {
      damage.noteError(new Error('the step failed', { cause }));
    }
    database.close();
  }
  const [notice, ...others] = damage.notices();
  assert.deepEqual([notice?.kind, notice?.since, others, logged], ['database-damaged', 5000, [], ['store.damaged']]);
  assert.match(notice?.action ?? '', /restore the newest backup with ".+ restore <file>"/);
  assert.match(damage.faults().join(), /^The database is damaged: /);
});

test('states of PostgreSQL about damaged data are noticed', () => {
  for (const code of ['XX001', 'XX002']) {
    const { damage } = fixture(false);
    damage.noteError(Object.assign(new Error('invalid page in block 3'), { code, severity: 'ERROR' }));
    assert.match(damage.notices()[0]?.action ?? '', /pg_restore/);
  }
  const { damage } = fixture(false);
  damage.noteError(Object.assign(new Error('deadlock'), { code: '40P01' }));
  assert.deepEqual(damage.notices(), []);
});
