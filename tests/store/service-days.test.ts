// Days of services are counted from the results of their checks, once over, and anew when results arrive late.
import assert from 'node:assert/strict';
import { dayMs, dayOf, hourMs, hourOf } from '#domain/results/roll-up.ts';
import { shownDays } from '#domain/status-pages/page-snapshot.ts';
import type { Outcome } from '#domain/results/result.ts';
import type { StatusPage } from '#domain/status-pages/status-page.ts';
import { newId } from '#lib/id.ts';
import { test } from '../support/store/each-engine.ts';
import { putResult } from '../support/store/rows.ts';
import { aStatusService } from '../support/store/status-pages.ts';
import { PagesUnderTest } from './pages-under-test.ts';

/** Puts a result that covers an hour. */
function putHour({ path }: PagesUnderTest, checkId: string, at: number, outcome: Outcome): void {
  putResult(path.temp.raw, path.accountId, checkId, at, { outcome, intervalMs: hourMs });
}

/** Known and down hours of the last days of each service, oldest first. */
async function lastDays(pages: PagesUnderTest, page: StatusPage, count: number) {
  return (await pages.services(page)).map(({ days }) =>
    days.slice(-count).map(({ knownMs, downMs }) => [knownMs / hourMs, downMs / hourMs]),
  );
}

test('a day of a service is up but for the hours in which enough of its checks were down', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const { path, store } = pages;
  const { accountId } = path;
  const [one, two] = [await path.check(), await path.check()];
  const today = dayOf(path.now);
  const [before, yesterday] = [today - 2 * dayMs, today - dayMs];
  for (let hour = 0; hour < 24; hour++) {
    putHour(pages, one, yesterday + hour * hourMs, hour === 3 || hour === 4 ? 'failed' : 'passed');
    putHour(pages, two, yesterday + hour * hourMs, hour === 3 ? 'failed' : 'passed');
  }
  putHour(pages, one, before + 7 * hourMs, 'failed');
  putHour(pages, one, today, 'failed');
  putHour(pages, one, today + hourMs, 'passed');
  const add = async (fields: object) => (await store.statusServices.add(aStatusService(accountId, fields))).id;
  const ids = [
    await add({ checkIds: [one] }),
    await add({ checkIds: [one, two] }),
    await add({ checkIds: [one, two], threshold: { of: 'CHECKS', count: 2 } }),
    await add({}),
    await add({ checkIds: [one], showHistory: false }),
  ];
  const page = await pages.pageOf(...ids);
  const tick = pages.process();
  const counted = async (): Promise<void> => {
    for (let count = 0; count < shownDays; count++) {
      await tick();
      path.temp.clock.advance(1000);
    }
  };
  await counted();
  const shown = await pages.services(page);
  assert.deepEqual(
    shown.map(({ days }) => days.length),
    [shownDays, shownDays, shownDays, 0, 0],
    'a service without checks has nothing to count',
  );
  assert.deepEqual([shown[0]?.days[0]?.at, shown[0]?.days.at(-1)?.at], [today - (shownDays - 1) * dayMs, today]);
  const none = [0, 0];
  assert.deepEqual(await lastDays(pages, page, 4), [
    [none, [1, 1], [24, 2], [2, 1]],
    [none, [1, 1], [24, 2], [2, 1]],
    [none, [1, 1], [24, 1], [2, 1]],
    [],
    [],
  ]);
  putHour(pages, one, before + 8 * hourMs, 'passed');
  await counted();
  assert.deepEqual((await lastDays(pages, page, 3))[0]?.[0], [1, 1]);
  path.temp.clock.advance(hourMs);
  await counted();
  assert.deepEqual((await lastDays(pages, page, 3))[0]?.[0], [2, 1], 'results that arrive late count');
  const { raw } = path.temp;
  const rows = () => raw.prepare('SELECT count(*) AS count FROM status_service_days').get()?.['count'];
  assert.equal(rows(), 3 * (shownDays - 1));
  path.temp.clock.advance(dayMs);
  await counted();
  assert.equal(rows(), 3 * (shownDays - 1), 'a day that is no longer shown is removed');
  assert.deepEqual((await lastDays(pages, page, 2))[0]?.[0], [2, 1], 'the present day is over');
});

test('response times are the median of each of the last 24 hours, on pages that show them', async (newStore) => {
  await using pages = await PagesUnderTest.open(newStore);
  const { path, store } = pages;
  const { accountId } = path;
  const [one, two] = [await path.check(), await path.check()];
  const service = await store.statusServices.add(aStatusService(accountId, { checkIds: [one, two] }));
  const byHand = await store.statusServices.add(aStatusService(accountId));
  const hour = hourOf(path.now);
  const put = (checkId: string, at: number, responseUs: number): void =>
    void putResult(path.temp.raw, accountId, checkId, at, { responseUs, intervalMs: 60_000 });
  for (const [index, us] of [100_000, 200_000, 900_000].entries()) {
    put(one, hour - hourMs + index * 60_000, us);
    put(two, hour - hourMs + index * 60_000, 200_000);
  }
  put(one, hour - 24 * hourMs, 500_000);
  const cards = [{ id: newId(), name: 'Shop', serviceIds: [service.id, byHand.id] }];
  const [shown, hidden] = [await pages.page({ cards, showResponseTimes: true }), await pages.page({ cards })];
  await pages.process()();
  const [times, none] = (await pages.services(shown)).map(({ responseTimes }) => responseTimes ?? []);
  assert.deepEqual([times?.length, times?.[0]?.[0], times?.at(-1)], [24, hour - 23 * hourMs, [hour, null]]);
  const known = times?.flatMap(([at, ms]) => (ms === null ? [] : [[at, Math.round(ms / 10) * 10]]));
  assert.deepEqual(known, [[hour - hourMs, 200]]);
  assert.equal(
    none?.some(([, ms]) => ms !== null),
    false,
  );
  assert.deepEqual(
    (await pages.services(hidden)).map(({ responseTimes }) => responseTimes),
    [null, null],
  );
});
