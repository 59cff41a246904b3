// What chaos of a rolling update would call broken, and where it finds the older code.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { beforeNewestMigration, NoOlderCodeError, takeOut } from '../bench/chaos/older.ts';
import { judgeReads } from '../bench/chaos/reads.ts';
import { complaintsIn, judgeWayBack } from '../bench/chaos/update.ts';

describe('a process of the older version', () => {
  const knows = (found: number, known: number): string =>
    `the service did not start: {"level":"error","msg":"the database has schema version ${found}, ` +
    `this version of Tocsin knows ${known}: start the newer version again"}`;

  it('refuses to start on a newer schema and says why', () => {
    assert.deepEqual(judgeWayBack(knows(14, 13), 13, 14).breaches, []);
    assert.deepEqual(judgeWayBack(null, 13, 14).breaches, ['it was ready']);
    assert.equal(judgeWayBack(knows(15, 13), 13, 14).breaches.length, 1);
    assert.deepEqual(judgeWayBack('the service did not start: Error', 13, 14).breaches, [
      'the service did not start: Error',
    ]);
  });

  it('starts where the schema is still its own', () => {
    assert.deepEqual(judgeWayBack(null, 14, 14).breaches, []);
    assert.equal(judgeWayBack('the service did not start: Error', 14, 14).breaches.length, 1);
  });

  it('shows over the newer schema what it showed over its own', () => {
    const before = new Map([
      ['/v1/checks', 200],
      ['/v1/checks/x', 404],
    ]);
    const breaches = (path: string, status: number): readonly string[] =>
      judgeReads('reads', before, [before, new Map([[path, status]])]).breaches;
    assert.deepEqual(breaches('/v1/checks', 200), []);
    assert.deepEqual(breaches('/v1/checks', 404), ['GET /v1/checks is answered 404, before 200']);
    assert.deepEqual(breaches('/v1/notices', 500), ['GET /v1/notices is answered 500']);
  });

  it('logs nothing of a fault or of a table that is not as it knows it', () => {
    const warning = '{"level":"warn","time":"2026-11-22T12:00:00.000Z","msg":"store.polling"}';
    const fault = '{"level":"error","step":"runner","error":"it is away","msg":"step.failed"}';
    const table = String.raw`{"level":"warn","error":"column \"told\" does not exist","msg":"a.warning"}`;
    assert.deepEqual(complaintsIn(`Tocsin 0.1.0 listens on http://127.0.0.1:1\n${warning}\n`, 'api 1'), []);
    assert.deepEqual(complaintsIn([warning, fault, table].join('\n'), 'api 1'), [`api 1: ${fault}`, `api 1: ${table}`]);
  });
});

it('where there is no history of commits, it is said what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-no-history-'));
  try {
    mkdirSync(join(folder, 'src/store/base/migrations'), { recursive: true });
    writeFileSync(join(folder, 'src/store/base/migrations/0001-first.ts'), '');
    for (const work of [() => beforeNewestMigration(folder), () => takeOut(folder, 'a1b2c3d', join(folder, 'older'))]) {
      assert.throws(work, (error) => error instanceof NoOlderCodeError && /whole history.*--from/.test(error.message));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
