// Files that runs left: whole or not there at all, of one account, and gone with their result, their check, or the next
// run that passes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Asset } from '#domain/results/asset.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { test } from '../support/store/each-engine.ts';
import { noNotifications } from '../support/store/records.ts';
import { putAccount, putCheck, putResult } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';

const day = 86_400_000;
const picture = (bytes = 5): Asset => ({
  sort: 'screenshot',
  name: 'checkout',
  contentType: 'image/png',
  content: randomBytes(bytes),
});

/** A browser check with a result that is `age` ms old. */
function fixture(temp: TempStore, age = 0) {
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId, { checkType: 'BROWSER' });
  const resultAt = (at: number): string => putResult(temp.raw, accountId, checkId, at, { outcome: 'failed' });
  const resultId = resultAt(temp.clock.now() - age);
  return { accountId, checkId, resultId, resultAt, location: 'local' };
}

const count = ({ raw }: TempStore, table: string): unknown =>
  raw.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];

test('assets are listed with their result and read as they were, however large', async (newStore) => {
  await using temp = await newStore();
  const { resultAssets } = temp.store;
  const owner = fixture(temp);
  const { accountId, checkId, resultId } = owner;
  const trace: Asset = { sort: 'trace', name: 'buying', contentType: 'application/zip', content: randomBytes(700_000) };
  const shot = picture();
  await resultAssets.keep(owner, [shot, trace], 'with-result');
  assert.equal(count(temp, 'asset_parts'), 4, 'three parts of the large one');
  const other = owner.resultAt(temp.clock.now() - 60_000);
  const found = await resultAssets.of(accountId, checkId, [resultId, other]);
  assert.deepEqual([...found.keys()], [resultId]);
  assert.deepEqual(found.get(resultId), [
    { number: 1, sort: 'screenshot', name: 'checkout', contentType: 'image/png', bytes: 5 },
    { number: 2, sort: 'trace', name: 'buying', contentType: 'application/zip', bytes: 700_000 },
  ]);
  for (const [number, asset] of [
    [1, shot],
    [2, trace],
  ] as const) {
    const read = await resultAssets.read(accountId, checkId, resultId, number);
    assert.ok(read !== null);
    const parts: Uint8Array[] = [];
    for await (const part of read.parts) parts.push(part);
    assert.ok(Buffer.concat(parts).equals(asset.content));
    assert.deepEqual([read.sort, read.name, read.contentType], [asset.sort, asset.name, asset.contentType]);
  }
  assert.equal(await resultAssets.read(accountId, checkId, resultId, 3), null);
});

test('assets of another account are not there', async (newStore) => {
  await using temp = await newStore();
  const owner = fixture(temp);
  await temp.store.resultAssets.keep(owner, [picture()], 'with-result');
  const stranger = putAccount(temp.raw);
  const { checkId, resultId } = owner;
  assert.equal(await temp.store.resultAssets.read(stranger, checkId, resultId, 1), null);
  assert.equal((await temp.store.resultAssets.of(stranger, checkId, [resultId])).size, 0);
});

test('an asset of which a part has gone is not read in half', async (newStore) => {
  await using temp = await newStore();
  const owner = fixture(temp);
  await temp.store.resultAssets.keep(owner, [picture(600_000)], 'with-result');
  temp.raw.prepare('DELETE FROM asset_parts WHERE part = 1').run();
  assert.equal(await temp.store.resultAssets.read(owner.accountId, owner.checkId, owner.resultId, 1), null);
});

test('of planned runs that pass only the newest of each location keeps its assets', async (newStore) => {
  await using temp = await newStore();
  const { resultAssets } = temp.store;
  const owner = fixture(temp);
  const now = temp.clock.now();
  await resultAssets.keep(owner, [picture()], 'with-result');
  const [first, second, elsewhere] = [1000, 2000, 3000].map((after) => owner.resultAt(now + after));
  await resultAssets.keep({ ...owner, resultId: first ?? '' }, [picture(), picture(600_000)], 'newest');
  await resultAssets.keep({ ...owner, resultId: elsewhere ?? '', location: 'far' }, [picture()], 'newest');
  await resultAssets.keep({ ...owner, resultId: second ?? '' }, [picture()], 'newest');
  const { accountId, checkId, resultId } = owner;
  const kept = await resultAssets.of(accountId, checkId, [resultId, first ?? '', second ?? '', elsewhere ?? '']);
  assert.deepEqual(new Set(kept.keys()), new Set([resultId, second, elsewhere]));
  assert.equal(count(temp, 'asset_parts'), 3);
});

test('assets go when their result grows old, and not before', async (newStore) => {
  await using temp = await newStore();
  const { resultAssets, retention } = temp.store;
  const owner = fixture(temp, 31 * day);
  // More than goes in one slice.
  await resultAssets.keep(
    owner,
    Array.from({ length: 80 }, () => picture()),
    'with-result',
  );
  const fresh = owner.resultAt(temp.clock.now() - day);
  await resultAssets.keep({ ...owner, resultId: fresh }, [picture()], 'with-result');
  for (let isThrough = false, slices = 0; !isThrough; slices++) {
    assert.ok(slices < 100, 'the sweep does not end');
    ({ isThrough } = await retention.sweep(temp.clock.now() - 30 * day, temp.clock.now()));
  }
  assert.deepEqual([count(temp, 'result_assets'), count(temp, 'asset_parts'), count(temp, 'results')], [1, 1, 1]);
  assert.notEqual(await resultAssets.read(owner.accountId, owner.checkId, fresh, 1), null);
});

test('assets go with their check, and none come after it', async (newStore) => {
  await using temp = await newStore();
  const { resultAssets, checks, orphans } = temp.store;
  const owner = fixture(temp);
  const other = fixture(temp);
  await resultAssets.keep(other, [picture()], 'with-result');
  await resultAssets.keep(
    owner,
    Array.from({ length: 80 }, () => picture()),
    'with-result',
  );
  assert.ok(await checks.remove(owner.accountId, owner.checkId, noNotifications));
  await resultAssets.keep({ ...owner, resultId: newId() }, [picture()], 'with-result');
  for (let slices = 0; (await orphans.removeSome(1000)) > 0; slices++) assert.ok(slices < 100);
  assert.deepEqual([count(temp, 'result_assets'), count(temp, 'asset_parts')], [1, 1]);
  const left = temp.raw.prepare('SELECT check_id FROM asset_parts').get();
  assert.deepEqual(Buffer.from(left?.['check_id'] as Uint8Array), Buffer.from(idBytes(other.checkId)));
});
