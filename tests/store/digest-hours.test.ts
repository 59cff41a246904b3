// Grouped notifications outside of the active hours of their channel: their alerts wait or move as single ones do.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { ActiveHours } from '#domain/alerts/active-hours.ts';
import type { Digest } from '#domain/alerts/digest.ts';
import { createActiveHours } from '#pipeline/parts/admit-deliveries.ts';
import { it, type NewStore, onSqlite } from '../support/store/each-engine.ts';
import { judgeStorms, PathUnderTest } from './path-under-test.ts';
import { checksOf, minuteMs, run, subscribed } from './storm-under-test.ts';

const hour = 3_600_000;

/** Four checks, three of which fail in a storm of one; their email channel is active from an hour later. */
async function open(newStore: NewStore, otherType: string | null) {
  const test = await PathUnderTest.open(newStore);
  const { ids, people } = await checksOf(test, 4, 1);
  const other = otherType === null ? null : await subscribed(test, otherType, []);
  const time = (at: number): string => new Date(at).toISOString().slice(11, 16);
  const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
  const activeHours: ActiveHours = {
    timeZone: 'UTC',
    periods: [{ days, from: time(test.now + hour), to: time(test.now + 2 * hour) }],
    outside: other === null ? 'WAIT' : 'OTHER_CHANNEL',
    otherChannelId: other,
  };
  await test.temp.store.alertChannels.change(test.accountId, people, ({ channel }) => ({
    channel: { ...channel, activeHours },
    subscriptions: null,
  }));
  const admit = createActiveHours({
    ...test.temp.store.activeHours,
    isSuperseded: (type) => type !== 'WEBHOOK',
    isDigested: (type) => type === 'EMAIL',
    clock: test.temp.clock,
    owner: 'one',
  });
  /** Sends what is due; what goes to which channel: the type, or the sections of a digest. */
  const send = async () => {
    const sent: string[] = [];
    for (let due = await test.claimDeliveries(); due.length > 0; due = await test.claimDeliveries()) {
      for (const claimed of due) {
        const { delivery, channel } = claimed;
        if (channel.id !== people && channel.id !== other) await test.settle(claimed, 200);
        else if ((await admit(delivery, channel)) !== false) {
          const [input] = await test.path.readContents([delivery]);
          const request = { method: 'MAIL', url: 'mailto:a@example.org', headers: [], body: 'x' };
          await test.path.saveRendered([{ ...delivery, rendered: { request } }], { owner: 'one', now: test.now });
          await test.settle(claimed, 200);
          const digest: Digest | undefined = input?.digest;
          const sections = digest?.sections.map(({ state, count }) => `${count} ${state}`).join(', ');
          sent.push(`${channel.id === people ? 'own' : 'other'}: ${sections ?? delivery.alertType ?? ''}`);
        }
      }
    }
    return sent.toSorted((a, b) => (a < b ? -1 : 1));
  };
  const leave = async () => {
    test.temp.clock.advance(6 * minuteMs);
    await judgeStorms(test);
    return send();
  };
  return { test, ids, send, leave };
}

describe('a grouped notification outside of the active hours of its channel', () => {
  it('waits, and tells of the present when they begin', async (newStore) => {
    const { test, ids, send, leave } = await open(newStore, null);
    await using _ = test;
    await run(test, 'failed', ids.slice(0, 3));
    assert.deepEqual(await leave(), []);
    test.temp.raw.exec('UPDATE notified SET open = NULL WHERE check_id = (SELECT max(check_id) FROM notified)');
    test.temp.clock.advance(hour);
    assert.deepEqual(await send(), ['own: 1 failing, 1 recovered, 1 stillFailing', 'own: ALERT_FAILURE']);
  });

  it('is sent through the other channel, which also gets its recoveries; each lists its own alerts', async (newStore) => {
    const { test, ids, leave } = await open(newStore, 'EMAIL');
    await using _ = test;
    await run(test, 'failed', ids.slice(0, 3));
    assert.deepEqual(await leave(), ['other: 2 failing, 1 stillFailing', 'other: ALERT_FAILURE']);
    test.temp.clock.advance(hour);
    await run(test, 'failed', ids.slice(3));
    assert.deepEqual(await leave(), ['other: 2 recovered', 'other: ALERT_RECOVERY', 'own: 1 failing']);
  });

  onSqlite('is sent as single alerts through a channel that gets every alert', async (newStore) => {
    const { test, ids, leave } = await open(newStore, 'WEBHOOK');
    await using _ = test;
    await run(test, 'failed', ids.slice(0, 3));
    assert.deepEqual(await leave(), ['other: ALERT_FAILURE', 'other: ALERT_FAILURE', 'other: ALERT_FAILURE']);
    assert.equal(test.one('SELECT count(*) FROM deliveries WHERE status = 7'), 0, 'none remains in a digest');
    assert.equal(test.one('SELECT count(*) FROM notified WHERE is_grouped = 1'), 0, 'recoveries are single, too');
  });
});
