// What channels receive about a check that flaps, on both engines: grouped messages about its present state, and the
// recovery of everything that they know to be open (docs/decisions/0138).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { idBytes, idText } from '#store/base/codec.ts';
import { deliveryStatusCodes } from '#store/base/codes.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { FlappingUnderTest, minute, render, single } from './flapping-under-test.ts';

describe('a flapping check', () => {
  onSqlite(
    'sends one message in ten minutes to channels with grouping, and every alert to the others',
    async (newStore) => {
      await using flapping = await FlappingUnderTest.open(newStore);
      const grouped = await flapping.test.channel(flapping.checkId, { type: 'EMAIL', grouping: true });
      const every = await flapping.test.channel(flapping.checkId);
      const brief = await flapping.test.channel(flapping.checkId, { type: 'SMS', grouping: true });
      await flapping.minutes('pfpfpfpfpfpfpfpfpfpppppppppppp');
      assert.deepEqual(flapping.sent(grouped), [
        ...single,
        '5 FAILURE began 5 failing',
        '15 FAILURE changed 10 failing',
        '25 RECOVERY changed 3 passing',
        '28 RECOVERY ended 0 passing',
      ]);
      assert.equal(flapping.sent(every).length, 18);
      assert.deepEqual(flapping.sent(brief), [...single, '5 FAILURE began 5 failing', '28 RECOVERY ended 0 passing']);
      assert.equal(flapping.held(grouped).length, 13);
      assert.equal(flapping.count('collecting'), 0);
      assert.deepEqual([flapping.open(grouped), flapping.open(every), flapping.open(brief)], [null, null, null]);
      assert.equal(flapping.since(), null);
    },
  );

  it('reports a failure that lasts at once, and its end when the check is calm, with one incident', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const pager = await flapping.test.channel(flapping.checkId, { type: 'PAGERDUTY', grouping: true });
    const brief = await flapping.test.channel(flapping.checkId, { type: 'SMS', grouping: true });
    await flapping.minutes('pfpfpfpfff');
    const lasts = ['5 FAILURE began 5 failing', '8 FAILURE lasts 2 failing'];
    assert.deepEqual(flapping.sent(pager).slice(4), lasts);
    assert.deepEqual(flapping.sent(brief).slice(4), lasts);
    await flapping.minutes('ffffffffffppp');
    assert.deepEqual(flapping.sent(pager).slice(6), ['20 RECOVERY alert'], 'it was calm before: failing');
    assert.deepEqual(flapping.sent(brief).slice(6), ['20 RECOVERY alert']);
    const [began, ...others] = flapping.incidents(pager).slice(4);
    assert.deepEqual(others, [began, began], 'what was opened is closed');
    assert.equal(flapping.open(pager), null);
  });

  onSqlite('describes the present: a failure below its escalation is a failure, and is closed', async (newStore) => {
    const alertSettings = { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 3 } } as const;
    const change = { useGlobalAlertSettings: false, alertSettings };
    await using flapping = await FlappingUnderTest.open(newStore, change);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes('pfpfpfp........');
    await flapping.minutes('f', { escalation: { type: 'RUN_BASED', runs: 3 } });
    assert.deepEqual(flapping.sent(grouped).slice(4), ['5 FAILURE began 5 failing', '15 FAILURE changed 1 failing']);
    assert.equal(flapping.open(grouped), 'failure');
    await flapping.minutes('p');
    assert.deepEqual(flapping.sent(grouped).slice(6), ['16 RECOVERY ended 0 passing']);
    assert.equal(flapping.open(grouped), null);
  });

  it('does not report a failure of a muted check, but that it passes', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes('pfpfpfpf');
    await flapping.test.edit(flapping.checkId, { muted: true });
    await flapping.minutes('ffffffffffff', { isMuted: true });
    assert.deepEqual(flapping.sent(grouped).slice(4), ['5 FAILURE began 5 failing']);
    assert.equal(flapping.count('collecting'), 1, 'its last change waits for the end of the mute');
    assert.equal(flapping.open(grouped), 'failure');
    await flapping.minutes('p', { isMuted: true });
    assert.deepEqual(flapping.sent(grouped).slice(5), ['20 RECOVERY ended 3 passing']);
    assert.deepEqual([flapping.since(), flapping.count('collecting')], [null, 0]);
  });

  it('suppresses the alerts of checks that depend on it while its own wait for their message', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes('pffpffpffpf');
    const dependent = await flapping.test.check({
      frequency: 1,
      frequencyOffset: null,
      dependsOn: [flapping.checkId],
    });
    const every = await flapping.test.channel(dependent);
    await flapping.minutes('f');
    assert.equal(flapping.sent(grouped).length, 5, 'the last is that it began to flap');
    assert.deepEqual(flapping.sent(every), []);
    await flapping.minutes('ffffff');
    assert.equal(flapping.sent(grouped).at(-1), '12 FAILURE lasts 2 failing');
    await flapping.minutes('p');
    assert.deepEqual(flapping.sent(every), []);
  });

  it('is announced to a channel that is subscribed later, and reported to one that leaves', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const left = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes('pfpfpfp');
    const late = await flapping.test.channel(flapping.checkId, { grouping: true });
    const { alertChannels } = flapping.test.temp.store;
    const off = { checkId: flapping.checkId, groupId: null, activated: false };
    await alertChannels.subscribe(flapping.test.accountId, left, off);
    await flapping.minutes('fppppppppppp');
    assert.deepEqual(flapping.sent(late).slice(0, 2), ['7 FAILURE began 0 failing', '15 RECOVERY changed 3 passing']);
    assert.deepEqual(flapping.sent(left).slice(4), ['5 FAILURE began 5 failing', '15 RECOVERY changed 3 passing']);
    assert.equal(flapping.count('collecting'), 0);
  });

  it('sends the waiting message at once if a person asks for it', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes('pfpfpfp');
    const collecting = deliveryStatusCodes.encode('collecting');
    const id = flapping.test.one(`SELECT id FROM deliveries WHERE status = ${collecting}`) as Uint8Array;
    const { temp, accountId } = flapping.test;
    assert.equal(await temp.store.deliveries.retry(accountId, idText(id)), 'done');
    await flapping.judge();
    assert.deepEqual(flapping.sent(grouped).slice(5), ['7 RECOVERY changed 1 passing']);
  });

  it('that is deleted sends its closing notification, and nothing waits for it', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes('pfpfpfp');
    assert.equal(flapping.count('collecting'), 1);
    await flapping.test.remove(flapping.checkId, render);
    assert.deepEqual(flapping.sent(grouped).slice(5), ['7 RECOVERY alert']);
    assert.deepEqual([flapping.count('collecting'), flapping.count('cancelled')], [0, 1]);
  });

  onSqlite('that is deactivated ends, and the recovery that waits is sent', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes('pfpfpfp');
    await flapping.test.edit(flapping.checkId, { activated: false });
    await flapping.minutes('...........');
    assert.deepEqual(flapping.sent(grouped).slice(5), ['15 RECOVERY changed 1 passing', '16 RECOVERY ended 0 passing']);
    assert.deepEqual([flapping.open(grouped), flapping.since()], [null, null]);
  });

  onSqlite('sends no reminders and starts again after its end', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    const grouped = await flapping.test.channel(flapping.checkId, { grouping: true });
    const reminders = { reminders: { amount: Infinity, intervalMs: minute } };
    await flapping.minutes('pfpfpfpfppppppppppp', reminders);
    assert.deepEqual(flapping.sent(grouped).slice(5), ['15 RECOVERY changed 3 passing', '18 RECOVERY ended 0 passing']);
    await flapping.minutes('f', reminders);
    assert.deepEqual(flapping.sent(grouped).slice(7), ['19 FAILURE alert'], 'a new failure is sent at once');
  });

  it('is evaluated by its time only, once', async (newStore) => {
    await using flapping = await FlappingUnderTest.open(newStore);
    await flapping.test.channel(flapping.checkId, { grouping: true });
    await flapping.minutes('pfpfpfp');
    const revision = () => flapping.test.one('SELECT revision FROM check_states');
    const before = revision();
    await flapping.judge();
    assert.equal(revision(), before);
    const known = await flapping.test.temp.store.checkStatuses.find(flapping.test.accountId, flapping.checkId);
    assert.equal(known?.flappingSince, flapping.since());
    const [row] = flapping.test.rows('SELECT check_id, flapping_due_at FROM check_states');
    assert.deepEqual(Buffer.from(row?.['check_id'] as Uint8Array), Buffer.from(idBytes(flapping.checkId)));
    assert.equal(Number(row?.['flapping_due_at']), flapping.startedAt + 15 * minute);
  });
});
