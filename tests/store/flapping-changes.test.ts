// A check is muted, paused, edited or loses a channel while it flaps: what channels know at the end is the present
// (docs/decisions/0138).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { FlappingUnderTest, minute, render } from './flapping-under-test.ts';

/** Until a message that it passes, and a failure after it that waits. */
const untilWaiting = 'pfpfpfpfpfpfppppf';

describe('the failure that waits while a check flaps', () => {
  it('is sent when the maintenance window in which it became calm ends', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { type: 'EMAIL', grouping: true });
    const every = await flapping.test.channel(flapping.checkId);
    await flapping.minutes(untilWaiting);
    assert.deepEqual(flapping.sent(grouped).slice(4), ['5 FAILURE began 5 failing', '15 RECOVERY changed 7 passing']);
    const window = {
      name: 'Nightly',
      description: null,
      tags: [],
      checkIds: [],
      groupIds: [],
      startsAt: flapping.test.now,
      endsAt: flapping.test.now + 20 * minute,
      repeatInterval: null,
      repeatUnit: null,
      repeatEndsAt: null,
      timezone: 'UTC',
      pauseAllChecks: false,
      silenceAllAlerts: true,
      isPublic: false,
      silenceAlertsTags: [],
    };
    await flapping.test.temp.store.maintenanceWindows.add(flapping.test.accountId, window);
    await flapping.minutes('f'.repeat(20), { isMuted: true });
    assert.equal(flapping.sent(grouped).length, 6, 'nothing is sent in the window');
    await flapping.minutes('.');
    assert.deepEqual(flapping.sent(grouped).slice(6), ['37 FAILURE ended 1 failing']);
    assert.equal(flapping.open(grouped), 'failure');
    await flapping.minutes('p');
    assert.deepEqual(flapping.sent(grouped).slice(7), ['38 RECOVERY alert']);
    assert.deepEqual([flapping.open(grouped), flapping.open(every), flapping.since()], [null, null, null]);
    assert.equal(flapping.sent(every).length, flapping.held(grouped).length + 6);
    assert.equal(flapping.count('collecting'), 0);
  });

  onSqlite('is no recovery of what the channel was not notified of', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true, sendDegraded: false });
    const every = await flapping.test.channel(flapping.checkId, { sendDegraded: false });
    await flapping.minutes('fdpdp');
    for (const channel of [grouped, every]) {
      assert.deepEqual(flapping.sent(channel), ['0 FAILURE alert', '2 RECOVERY alert']);
    }
    await flapping.minutes('f');
    assert.deepEqual(flapping.sent(grouped).slice(2), ['5 FAILURE began 0 failing']);
  });

  it('is sent when a mute ends before it is calm', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes(untilWaiting);
    await flapping.test.edit(flapping.checkId, { muted: true });
    await flapping.minutes('fff', { isMuted: true });
    assert.equal(flapping.sent(grouped).length, 6);
    await flapping.test.edit(flapping.checkId, { muted: false });
    await flapping.minutes('f');
    assert.deepEqual(flapping.sent(grouped).slice(6), ['20 FAILURE lasts 1 failing']);
    await flapping.minutes('pp........');
    assert.deepEqual(flapping.sent(grouped).slice(7), ['30 RECOVERY changed 1 passing']);
    assert.deepEqual([flapping.open(grouped), flapping.count('collecting')], [null, 0]);
  });

  onSqlite('needs no message if the check passes while it is muted', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes(untilWaiting);
    await flapping.test.edit(flapping.checkId, { muted: true });
    await flapping.minutes(`${'f'.repeat(12)}p`, { isMuted: true });
    assert.deepEqual(flapping.sent(grouped).slice(6), ['29 RECOVERY ended 2 passing']);
    assert.deepEqual([flapping.open(grouped), flapping.since(), flapping.count('collecting')], [null, null, 0]);
  });
});

describe('a check that flaps', () => {
  onSqlite('reports the failure that waits when it is paused and fails again once it is resumed', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes(untilWaiting);
    await flapping.test.edit(flapping.checkId, { activated: false });
    await flapping.minutes('.'.repeat(15));
    assert.equal(flapping.sent(grouped).length, 6, 'a deactivated check sends no alerts');
    await flapping.test.edit(flapping.checkId, { activated: true });
    await flapping.minutes('ffp');
    assert.deepEqual(flapping.sent(grouped).slice(6), ['32 FAILURE ended 1 failing', '34 RECOVERY alert']);
    assert.deepEqual([flapping.open(grouped), flapping.count('collecting')], [null, 0]);
  });

  it('sends nothing about a failure that waits if it is deleted: the channel knows that it passes', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes(untilWaiting);
    await flapping.test.remove(flapping.checkId, render);
    assert.equal(flapping.sent(grouped).at(-1), '15 RECOVERY changed 7 passing');
    assert.equal(flapping.count('collecting'), 0);
  });

  onSqlite('reports the failure that waits in time when its interval changes', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes(untilWaiting);
    await flapping.test.edit(flapping.checkId, { frequency: 1440 });
    await flapping.minutes('.'.repeat(4));
    assert.match(flapping.sent(grouped)[6] ?? '', /FAILURE lasts 1 failing$/);
    assert.equal(flapping.open(grouped), 'failure');
  });

  it('sends its waiting message once, although a process ended while sending', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes(untilWaiting.slice(0, -3));
    const { raw, clock } = flapping.test.temp;
    const told = flapping.sent(grouped).length;
    clock.advance(10 * minute);
    raw.exec('ALTER TABLE delivery_contents RENAME TO away');
    await assert.rejects(flapping.judge());
    raw.exec('ALTER TABLE away RENAME TO delivery_contents');
    assert.deepEqual([flapping.sent(grouped).length, flapping.count('collecting')], [told, 1]);
    await flapping.judge();
    await flapping.judge();
    assert.deepEqual([flapping.sent(grouped).length, flapping.count('collecting')], [told + 1, 0]);
  });
});

describe('the message that a check no longer flaps', () => {
  const twice = ['pfpfpfppppppppppp', 'pfpfpf'] as const;

  it('is superseded while it waits if the check flaps again, with the incident that is open', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const channels = [];
    for (const type of ['EMAIL', 'PAGERDUTY', 'WEBHOOK']) {
      channels.push(await flapping.test.channel(flapping.checkId, { type, grouping: true }));
    }
    const [mail = 0, pager = 0, hook = 0] = channels;
    await flapping.minutes(twice[0]);
    assert.equal(flapping.sent(mail).at(-1), '16 RECOVERY ended 0 passing');
    // Everything before arrived; the last waits.
    const last = 'id NOT IN (SELECT max(id) FROM deliveries WHERE status = 0 GROUP BY alert_channel_id)';
    flapping.test.temp.raw.exec(
      `UPDATE deliveries SET status = 1, next_attempt_at = NULL WHERE status = 0 AND ${last}`,
    );
    const [ended] = flapping.incidents(pager);
    await flapping.minutes(twice[1]);
    const periods = ['18 FAILURE alert', '19 RECOVERY alert', '20 FAILURE alert', '21 RECOVERY alert'];
    const again = ['16 RECOVERY ended 0 passing', ...periods, '22 FAILURE began 5 failing'];
    assert.deepEqual(flapping.sent(mail), again);
    assert.deepEqual(new Set(flapping.incidents(pager)), new Set([ended]), 'no incident stays open at the receiver');
    assert.equal(new Set(flapping.incidents(hook)).size, 4, 'a webhook receives each');
    const due = async (): Promise<number[]> =>
      (await flapping.test.claimDeliveries('one', () => 100)).map(({ delivery }) => delivery.alertChannelId);
    assert.deepEqual(new Set((await due()).filter((id) => id !== hook)), new Set([mail, pager]));
    assert.deepEqual(flapping.sent(mail), ['22 FAILURE began 5 failing']);
    assert.equal(flapping.sent(hook).length, 6);
  });

  onSqlite('is followed by an incident of its own once it was sent', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const pager = await flapping.test.channel(flapping.checkId, { type: 'PAGERDUTY', grouping: true });
    await flapping.minutes(twice[0]);
    flapping.test.temp.raw.exec('UPDATE deliveries SET status = 1, next_attempt_at = NULL WHERE status = 0');
    await flapping.minutes(twice[1]);
    assert.equal(new Set(flapping.incidents(pager)).size, 3);
  });
});
