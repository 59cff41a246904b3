// Edits of many checks beside schedulers that never rest: each is made, and no slot is left behind.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGroup } from '../support/store/records.ts';
import { sharedPostgres } from '../support/postgres/shared-postgres.ts';
import { openTempPostgres } from '../support/store/temp-store.ts';
import { until } from '../support/until.ts';
import { PathUnderTest } from './path-under-test.ts';

const checks = 80;
const server = await sharedPostgres();

it('a group of many checks is deactivated, activated and emptied while two schedulers plan without a rest', async () => {
  await using test = await PathUnderTest.open((at) => openTempPostgres(server, at));
  const { checkGroups } = test.temp.store;
  const saved = await checkGroups.add({ group: aGroup(test.accountId), subscriptions: null, isAutoAssigned: false });
  assert.ok('saved' in saved);
  const groupId = saved.saved.group.id;
  const activate = (activated: boolean) =>
    checkGroups.change(test.accountId, groupId, ({ group }) => ({
      group: { ...group, activated },
      subscriptions: null,
      isAutoAssigned: false,
    }));
  const inGroup: string[] = [];
  for (let n = 1; n < checks; n++) {
    inGroup.push((await test.add({ frequency: 0, frequencyOffset: 10, groupId })).id);
  }
  await test.add({ frequency: 0, frequencyOffset: 10 });
  test.temp.clock.advance(10_000);
  await test.tick(500);

  const over = new AbortController();
  let runs = 0;
  const scheduler = async (): Promise<void> => {
    while (!over.signal.aborted) {
      test.temp.clock.advance(100);
      runs += (await test.tick(500)).runs;
    }
  };
  const schedulers = [scheduler(), scheduler()];
  try {
    await activate(false);
    await activate(true);
    await until('every check to be planned', () => runs >= checks, { withinMs: 30_000, seen: () => `${runs} runs` });
    await activate(false);
    for (const id of inGroup.slice(0, 10)) assert.equal(await test.remove(id), true);
  } finally {
    over.abort();
    await Promise.all(schedulers);
  }
  assert.equal(test.one('SELECT count(*) FROM schedules'), 1, 'of the check outside the group');
  assert.equal(test.difference(), 0);
  const slots = 'SELECT id FROM results UNION ALL SELECT id FROM runs';
  assert.equal(test.one(`SELECT count(*) - count(DISTINCT id) FROM (${slots}) AS slots`), 0);
});
