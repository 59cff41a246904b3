// A check is muted, paused, edited or loses a channel while it flaps: what channels know at the end is the present
// (docs/decisions/0138).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { it } from '../support/store/each-engine.ts';
import { FlappingUnderTest, minute } from './flapping-under-test.ts';

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

  it('is sent when a mute ends, whether it was calm by then or not', async (newStore) => {
    for (const minutes of [3, 40]) {
      await using flapping = await FlappingUnderTest.open(newStore);
      const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
      await flapping.minutes(untilWaiting);
      await flapping.test.edit(flapping.checkId, { muted: true });
      await flapping.minutes('f'.repeat(minutes), { isMuted: true });
      assert.equal(flapping.sent(grouped).length, 6);
      await flapping.test.edit(flapping.checkId, { muted: false });
      await flapping.minutes('ff');
      assert.match(flapping.sent(grouped)[6] ?? '', /FAILURE (lasts|ended) 1 failing/);
      await flapping.minutes('pppppppppppp');
      assert.match(flapping.sent(grouped).at(-1) ?? '', /RECOVERY/);
      assert.deepEqual([flapping.open(grouped), flapping.count('collecting')], [null, 0]);
    }
  });

  it('needs no message if the check passes while it is muted', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes(untilWaiting);
    await flapping.test.edit(flapping.checkId, { muted: true });
    await flapping.minutes('f'.repeat(30) + 'p', { isMuted: true });
    assert.deepEqual(flapping.sent(grouped).slice(6), ['47 RECOVERY ended 2 passing']);
    assert.deepEqual([flapping.open(grouped), flapping.since(), flapping.count('collecting')], [null, null, 0]);
  });
});
