// The calendar of maintenance, skipping occurrences, and previews of windows over REST.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourcesUnderTest } from './resources-under-test.ts';

const path = '/v1/maintenance-windows';
const nightly = {
  name: 'Nightly',
  silenceAllAlerts: true,
  startsAt: '2026-03-10T22:00:00Z',
  endsAt: '2026-03-10T23:00:00Z',
  repeatUnit: 'DAY',
};

/** Resources at a point in time, with a nightly window. */
async function atTime(at: string) {
  const resources = resourcesUnderTest();
  const { clock } = resources.temp;
  const setTo = (time: string): void => clock.advance(Date.parse(time) - clock.now());
  setTo(at);
  const ask = resources.ask.bind(resources);
  const { body } = await ask('POST', path, nightly);
  return { ask, setTo, one: `${path}/${body.id}`, [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose]() };
}

test('an occurrence is skipped, shown as skipped, and restored until it was to start', async () => {
  await using on = await atTime('2026-03-12T12:00:00Z');
  const { ask, one, setTo } = on;
  const skip = (startsAt: string, key?: string) => ask('POST', `${one}/skips`, { startsAt }, key);
  const skipped = await skip('2026-03-12T22:00:00Z');
  assert.deepEqual(
    [skipped.status, skipped.body.skippedOccurrences, skipped.body.nextStartsAt],
    [201, [{ startsAt: '2026-03-12T22:00:00.000Z', endedAt: null }], '2026-03-13T22:00:00.000Z'],
  );
  assert.equal((await skip('2026-03-12T22:00:00Z')).status, 201, 'once more changes nothing');
  const calendar = async () => {
    const range = 'from=2026-03-12T00:00:00Z&to=2026-03-14T00:00:00Z';
    const { body } = await ask('GET', `/v1/maintenance-occurrences?${range}`);
    assert.equal(body.isComplete, true);
    return body.occurrences;
  };
  const shown = { windowId: 1, name: 'Nightly', skipped: false, endedAt: null };
  const next = (await ask('GET', `${one}/occurrences?limit=2`)).body;
  assert.deepEqual(next, await calendar(), 'the window alone, as in the calendar');
  assert.equal((await ask('GET', `${one}/occurrences`, undefined, 'tsn_foreign')).status, 404);
  assert.deepEqual(next, [
    { ...shown, startsAt: '2026-03-12T22:00:00.000Z', endsAt: '2026-03-12T23:00:00.000Z', skipped: true },
    { ...shown, startsAt: '2026-03-13T22:00:00.000Z', endsAt: '2026-03-13T23:00:00.000Z' },
  ]);
  assert.equal((await ask('DELETE', `${one}/skips/2026-03-12T22:00:00.000Z`)).status, 204);
  assert.equal((await ask('DELETE', `${one}/skips/2026-03-12T22:00:00.000Z`)).status, 404);
  assert.equal((await ask('GET', one)).body.nextStartsAt, '2026-03-12T22:00:00.000Z');

  await skip('2026-03-12T22:00:00Z');
  setTo('2026-03-12T22:00:00Z');
  assert.equal((await ask('DELETE', `${one}/skips/2026-03-12T22:00:00.000Z`)).status, 409, 'its start has passed');
  setTo('2026-03-13T22:20:00Z');
  assert.equal((await skip('2026-03-13T22:00:00Z')).body.nextStartsAt, '2026-03-14T22:00:00.000Z', 'it ends now');
  assert.equal((await calendar())[1].endedAt, '2026-03-13T22:20:00.000Z');
  assert.equal((await skip('2026-03-11T22:00:00Z')).status, 409, 'it is over');
  const wrong = await skip('2026-03-14T21:00:00Z');
  assert.deepEqual([wrong.status, Object.keys(wrong.body.attributes)], [400, ['startsAt']]);
  assert.equal((await skip('2026-03-14T22:00:00Z', 'tsn_reader')).status, 403);
  assert.equal((await skip('2026-03-14T22:00:00Z', 'tsn_foreign')).status, 404);
  assert.deepEqual((await ask('GET', '/v1/maintenance-occurrences', undefined, 'tsn_foreign')).body.occurrences, []);
});

test('a change of the times drops skipped occurrences that do not exist any more, and warns; others stay', async () => {
  await using on = await atTime('2026-03-12T12:00:00Z');
  const { ask, one } = on;
  await ask('POST', `${one}/skips`, { startsAt: '2026-03-12T22:00:00Z' });
  const renamed = (await ask('PUT', one, { name: 'Renamed', skippedOccurrences: [] })).body;
  assert.deepEqual([renamed.skippedOccurrences.length, renamed.warnings], [1, undefined]);
  const moved = await ask('PUT', one, { startsAt: '2026-03-10T21:00:00Z' });
  assert.deepEqual([moved.body.skippedOccurrences, moved.body.warnings[0].path], [[], 'startsAt']);
});

test('a calendar has up to 45 days and 500 occurrences, and says if there are more', async () => {
  await using on = await atTime('2026-03-12T12:00:00Z');
  const { ask } = on;
  const range = (days: number): string =>
    `from=2026-03-12T00:00:00Z&to=${new Date(Date.parse('2026-03-12T00:00:00Z') + days * 86_400_000).toISOString()}`;
  for (const days of [0, 46]) {
    const { status, body } = await ask('GET', `/v1/maintenance-occurrences?${range(days)}`);
    assert.deepEqual([status, Object.keys(body.attributes)], [400, ['to']], `${days} days`);
  }
  for (let count = 0; count < 11; count++) await ask('POST', path, nightly);
  const full = (await ask('GET', `/v1/maintenance-occurrences?${range(45)}`)).body;
  assert.deepEqual([full.occurrences.length, full.isComplete], [500, false]);
  const month = (await ask('GET', '/v1/maintenance-occurrences')).body;
  assert.deepEqual(
    [month.from, month.to, month.occurrences.length, month.isComplete],
    ['2026-03-12T12:00:00.000Z', '2026-04-12T12:00:00.000Z', 12 * 31, true],
  );
});

test('a preview counts and names the checks by the rule that silences, and the next occurrences', async () => {
  await using on = await atTime('2026-03-28T12:00:00Z');
  const { ask } = on;
  const preview = async (body: object) => {
    const answer = await ask('POST', `${path}/preview`, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const group = (await ask('POST', '/v1/check-groups', { name: 'Shop', tags: ['shop'] })).body.id;
  const request = { method: 'GET', url: 'https://example.com/' };
  const make = async (body: object): Promise<string> =>
    (await ask('POST', '/v1/checks/api', { request, ...body })).body.id;
  const cart = await make({ name: 'Cart', groupId: group });
  const search = await make({ name: 'Search', tags: ['shop', 'eu'] });
  await make({ name: 'Blog' });
  const tagged = await preview({ tags: ['eu'], silenceAlertsTags: ['shop'] });
  assert.deepEqual(tagged, {
    paused: { total: 1, checks: [{ id: search, name: 'Search' }] },
    silenced: { total: 1, checks: [{ id: cart, name: 'Cart' }] },
    accountChecks: 3,
    occurrences: [],
  });
  assert.equal((await preview({ silenceAllAlerts: true })).silenced.total, 3);
  assert.deepEqual((await preview({ groupIds: [group] })).paused.checks, [{ id: cart, name: 'Cart' }]);
  assert.equal((await preview({})).silenced.total, 0);
  const { startsAt, endsAt, repeatUnit } = nightly;
  const timed = await preview({ startsAt, endsAt, repeatUnit, timezone: 'Europe/Berlin' });
  assert.deepEqual(
    timed.occurrences.slice(0, 2).map((each: { startsAt: string }) => each.startsAt),
    ['2026-03-28T22:00:00.000Z', '2026-03-29T21:00:00.000Z'],
    'at 23:00 in Berlin, also after the clocks went forward',
  );
  assert.equal(timed.occurrences.length, 5);
  const wrong = await ask('POST', `${path}/preview`, { startsAt: endsAt, endsAt: startsAt });
  assert.deepEqual([wrong.status, Object.keys(wrong.body.attributes)], [400, ['endsAt']]);
  assert.equal(
    (await ask('POST', `${path}/preview`, { silenceAllAlerts: true }, 'tsn_foreign')).body.silenced.total,
    0,
  );
});
