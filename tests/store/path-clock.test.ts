// The machine's clock is set by an hour, with and without a running process.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { StateRules } from '#domain/checks/check-state.ts';
import type { ClaimedRun } from '#store/path/path.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { insertRow } from '../support/store/rows.ts';
import { it } from '../support/store/each-engine.ts';
import { PathUnderTest } from './path-under-test.ts';

const hour = 3_600_000;

async function setClock(test: PathUnderTest, byMs: number): Promise<void> {
  test.temp.clock.advance(byMs);
  await test.path.moveWithClock(byMs, test.now);
}

describe('a clock that is set back by an hour', () => {
  it('does not stop a check: its next slot comes within its interval, and slots of the repeated hour are other runs', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.runAll('passed');
    const first = test.one('SELECT id FROM results');
    const slotAt = test.now;
    await setClock(test, -hour - 5000);
    const dueAt = Number(test.dueAt());
    assert.ok(dueAt >= test.now && dueAt < test.now + 10_000, `due ${dueAt - test.now} ms from now`);
    test.temp.clock.advance(hour + 5000);
    test.temp.raw.prepare('UPDATE schedules SET next_due_at = ?').run(slotAt);
    await test.runAll('passed');
    const ids = test.rows('SELECT id FROM results').map(({ id }) => Buffer.from(id as Uint8Array).toString('hex'));
    assert.equal(new Set(ids).size, 2, 'the same slot of both laps');
    assert.ok(ids.includes(Buffer.from(first as Uint8Array).toString('hex')));
    assert.equal(test.difference(), 0);
  });

  it('does not stop alerts, of parallel checks neither', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const parallel: StateRules = {
      escalation: { type: 'RUN_BASED', runs: 1 },
      isMuted: false,
      reminders: null,
      parallel: { locations: ['local', 'lima'], failingShare: null },
    };
    for (const rules of [{ ...parallel, parallel: null }, parallel]) {
      const checkId = await test.check();
      await test.channel(checkId);
      await test.schedule();
      const before = (await test.claim()).map((claimed) => test.ended(claimed, 'passed', { rules }));
      await test.record(before);
      await setClock(test, -hour);
      let claimed: readonly ClaimedRun[] = [];
      for (let seconds = 0; seconds < 10 && claimed.length === 0; seconds++) {
        test.temp.clock.advance(1_000);
        await test.schedule();
        claimed = await test.claim();
      }
      const recorded = await test.record(claimed.map((one) => test.ended(one, 'failed', { rules })));
      assert.ok(recorded.some(({ alertTypes }) => alertTypes.includes('ALERT_FAILURE')));
      await test.remove(checkId);
    }
  });

  it('leaves retries of runs and deliveries as far away as they were', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    await test.runAll('failed');
    const [claimed] = await test.claimDeliveries();
    assert.ok(claimed !== undefined);
    await test.settle(claimed, 500);
    for (const byMs of [-hour, hour, hour]) {
      await setClock(test, byMs);
      test.temp.clock.advance(20_004);
      assert.deepEqual(await test.claimDeliveries('two'), []);
      test.temp.clock.advance(1);
      const [again] = await test.claimDeliveries('two');
      assert.ok(again !== undefined);
      await test.settle(again, 500, 'two');
    }
  });

  it('does not count as time that a delivery waited for a quota', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    await test.runAll('failed');
    const since = test.now;
    test.temp.raw.exec(`UPDATE deliveries SET quota_waits_since = ${since}`);
    await setClock(test, -hour);
    assert.equal(test.one('SELECT quota_waits_since FROM deliveries'), since - hour);
  });

  it('and once more within a minute, keeps a retry from being further away than by the second step', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.schedule();
    const retry = { at: test.now + 20_000, location: 'local' };
    await test.record((await test.claim()).map((claimed) => test.ended(claimed, 'failed', { retry })));
    const stepMs = 25_000;
    for (const longerMax of [0, stepMs]) {
      await setClock(test, -stepMs);
      const away = Number(test.one('SELECT available_at FROM runs')) - test.now;
      // Of two alike over PostgreSQL, the second is what another process saw of the first.
      assert.ok(away >= 20_000 && away <= 20_000 + longerMax, `${away} ms`);
      assert.equal(test.difference(), 0);
    }
  });

  it('while nothing ran, holds nothing back for an hour at the next start', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    await test.runAll('failed');
    const [claimed] = await test.claimDeliveries();
    assert.ok(claimed !== undefined);
    await test.settle(claimed, 500);
    test.temp.clock.advance(-hour);
    await test.path.takeOver(test.now);
    // Counted from when the row was reached.
    test.temp.clock.advance(20_500);
    assert.equal((await test.claimDeliveries()).length, 1);
    await test.schedule();
    test.temp.clock.advance(8_000);
    const [recorded] = await test.record((await test.claim()).map((run) => test.ended(run, 'passed')));
    assert.deepEqual(recorded?.alertTypes, ['ALERT_RECOVERY']);
  });
});

describe('mails of status pages', () => {
  const minute = 60_000;

  /** A change, a mail that asks for confirmation and a pace, each due in a minute. */
  function putMails(test: PathUnderTest): void {
    const about = { account_id: idBytes(test.accountId), page_id: idBytes(newId()), id: idBytes(newId()) };
    const dueAt = test.now + minute;
    insertRow(test.temp.raw, 'status_page_changes', {
      ...about,
      subject: 'update',
      content: '{}',
      due_at: dueAt,
      created_at: test.now,
    });
    insertRow(test.temp.raw, 'status_subscribers', {
      ...about,
      email: 'reader@example.com',
      requested_at: test.now,
      mail_due_at: dueAt,
      mail_attempts: 0,
      created_at: test.now,
    });
    insertRow(test.temp.raw, 'status_mail_slots', { key: 'address:x', free_at: dueAt });
  }
  const awayIn = (test: PathUnderTest): (number | null)[] =>
    ['due_at FROM status_page_changes', 'mail_due_at FROM status_subscribers', 'free_at FROM status_mail_slots'].map(
      (column) => {
        const at = test.one(`SELECT ${column}`);
        // Over PostgreSQL, time goes on until the row is reached.
        return at === undefined ? null : Math.round((Number(at) - test.now) / 1000) * 1000;
      },
    );

  it('stay as far away as they were when the clock is set', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    putMails(test);
    for (const byMs of [-hour, hour]) {
      await setClock(test, byMs);
      assert.deepEqual(awayIn(test), [minute, minute, minute]);
    }
  });

  it('are not held back by a clock that was set back by days while nothing ran', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    putMails(test);
    test.temp.clock.advance(-48 * hour);
    await test.path.takeOver(test.now);
    assert.deepEqual(awayIn(test), [minute, 0, null]);
  });
});

describe('a process that starts', () => {
  it('a moment behind the one that has just planned a slot leaves it planned, and begins no new lap', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.runAll('passed');
    const dueAt = test.dueAt();
    const positionAt = test.one('SELECT position_at FROM check_states');
    await test.path.takeOver(test.now - 5);
    assert.equal(test.dueAt(), dueAt);
    assert.equal(test.one('SELECT position_at FROM check_states'), positionAt);
    assert.equal(test.one(`SELECT count(*) FROM installation WHERE key = 'lap'`), 0);
  });
});

describe('a clock that is set forward by an hour', () => {
  it('leaves a gap that is on record, and no herd', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.check();
    await test.runAll('passed');
    await setClock(test, hour);
    const done = await test.schedule('clock');
    assert.deepEqual([done.runs, done.missed], [1, 359]);
    assert.equal(test.difference(), 0);
  });

  it('does not make an alert due that waits for five minutes of failing', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    const rules: StateRules = {
      escalation: { type: 'TIME_BASED', ms: 300_000 },
      isMuted: false,
      reminders: null,
      parallel: null,
    };
    const fail = async (): Promise<readonly string[]> => {
      await test.schedule('clock');
      const ended = (await test.claim()).map((claimed) => test.ended(claimed, 'failed', { rules }));
      return (await test.record(ended))[0]?.alertTypes ?? [];
    };
    assert.deepEqual(await fail(), []);
    await setClock(test, hour);
    assert.deepEqual(await fail(), []);
    test.temp.clock.advance(300_000);
    assert.deepEqual(await fail(), ['ALERT_FAILURE']);
  });
});
