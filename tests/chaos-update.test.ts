// What chaos of a rolling update would call broken, and where it finds the older code.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { beforeNewestMigration, NoOlderCodeError, takeOut } from '../bench/chaos/older.ts';
import { judgeReads, complaintsIn, judgeWayBack } from '../bench/chaos/update.ts';

describe('a process of the older version', () => {
  const knows = (found: number, known: number): string =>
    `the service did not start: {"level":"error","msg":"the database has schema version ${found}, ` +
    `this version of Tocsin knows ${known}: start the newer version again"}`;

  it('refuses to start on a newer schema, with the reason', () => {
    assert.deepEqual(judgeWayBack(knows(14, 13), 13, 14).violations, []);
    assert.deepEqual(judgeWayBack(null, 13, 14).violations, ['it was ready']);
    assert.equal(judgeWayBack(knows(15, 13), 13, 14).violations.length, 1);
    assert.deepEqual(judgeWayBack('the service did not start: Error', 13, 14).violations, [
      'the service did not start: Error',
    ]);
  });

  it('starts on its own schema', () => {
    assert.deepEqual(judgeWayBack(null, 14, 14).violations, []);
    assert.equal(judgeWayBack('the service did not start: Error', 14, 14).violations.length, 1);
  });

  it('works on the newer schema like on its own', () => {
    const before = new Map([
      ['/v1/checks', 200],
      ['/v1/checks/x', 404],
    ]);
    const violations = (path: string, status: number): readonly string[] =>
      judgeReads('reads', before, [before, new Map([[path, status]])]).violations;
    assert.deepEqual(violations('/v1/checks', 200), []);
    assert.deepEqual(violations('/v1/checks', 404), ['GET /v1/checks returned 404, before 200']);
    assert.deepEqual(violations('/v1/notices', 500), ['GET /v1/notices returned 500']);
  });

  it('logs no server error and no unexpected table', () => {
    const warning = '{"level":"warn","time":"2026-11-22T12:00:00.000Z","msg":"store.polling"}';
    const fault = '{"level":"error","step":"runner","error":"it is away","msg":"step.failed"}';
    const table = String.raw`{"level":"warn","error":"column \"told\" does not exist","msg":"a.warning"}`;
    assert.deepEqual(complaintsIn(`Tocsin 0.1.0 listens on http://127.0.0.1:1\n${warning}\n`, 'api 1'), []);
    assert.deepEqual(complaintsIn([warning, fault, table].join('\n'), 'api 1'), [`api 1: ${fault}`, `api 1: ${table}`]);
  });
});

it('without a git history, the error says what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-no-history-'));
  try {
    mkdirSync(join(folder, 'src/store/base/migrations'), { recursive: true });
    writeFileSync(join(folder, 'src/store/base/migrations/0001-first.ts'), '');
    for (const work of [() => beforeNewestMigration(folder), () => takeOut(folder, 'a1b2c3d', join(folder, 'older'))]) {
      assert.throws(work, (error) => error instanceof NoOlderCodeError && /full history.*--from/.test(error.message));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
