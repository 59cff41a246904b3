// Dates that come in: in UTC unless they name a zone, whatever zone this process is in.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bodyInstant, queryInstant } from '#lib/schema/fields.ts';

describe('in a process of another zone', () => {
  const usual = process.env['TZ'];
  before(() => (process.env['TZ'] = 'Asia/Tokyo'));
  after(() => {
    if (usual === undefined) delete process.env['TZ'];
    else process.env['TZ'] = usual;
  });

  test('a date without a zone is in UTC, in a query and in a body', () => {
    assert.notEqual(new Date(0).getTimezoneOffset(), 0, 'this process is not in UTC');
    const noon = Date.UTC(2026, 0, 31, 12);
    const times = ['2026-01-31T12:00', '2026-01-31T12:00:00', '2026-01-31T12:00:00.000', '2026-01-31T12:00:00Z'];
    for (const text of [...times, '2026-01-31T14:00:00+02:00']) {
      assert.equal(queryInstant.parse(text), noon, text);
      assert.equal(bodyInstant.parse(text), noon, text);
    }
    for (const text of ['2026-01-31 12:00', '2026-01-31 14:00+0200', '1769860800'])
      assert.equal(queryInstant.parse(text), noon, text);
    assert.equal(queryInstant.parse('2026-01-31'), Date.UTC(2026, 0, 31));
  });

  test('a day that does not exist is refused', () => {
    for (const text of ['2026-02-30', '2026-02-30T12:00', '2026-13-01T12:00:00Z', 'tomorrow', '2026-01-31T25:00']) {
      assert.equal(queryInstant.safeParse(text).success, false, text);
      assert.equal(bodyInstant.safeParse(text).success, false, text);
    }
  });
});
