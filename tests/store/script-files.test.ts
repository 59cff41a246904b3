// Files of scripts as they are stored: once per content and account, within a limit, and as long as a check uses them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { LimitReachedError } from '#domain/accounts/account.ts';
import { unusedScriptFileMs } from '#domain/accounts/script-file.ts';
import { test } from '../support/store/each-engine.ts';
import { aCheck } from '../support/store/records.ts';
import { putAccount } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';

const unlimited = { subscriptions: null, isAutoAssigned: false };

/** Random-looking bytes that differ by `seed`. */
function bytesOf(seed: string, length: number): Buffer {
  return Buffer.alloc(length, createHash('sha256').update(seed).digest());
}

function filesOf({ raw }: TempStore): number {
  return raw.prepare('SELECT key FROM script_files').all().length;
}

function partsOf({ raw }: TempStore): number {
  return raw.prepare('SELECT part FROM script_file_parts').all().length;
}

test('a file is stored in parts, once per content, and read by its account alone', async (newStore) => {
  await using temp = await newStore();
  const { scriptFiles } = temp.store;
  const [own, other] = [putAccount(temp.raw), putAccount(temp.raw)];
  const content = bytesOf('a picture', 600_000);
  const stored = await scriptFiles.put(own, content);
  assert.deepEqual(stored, { key: createHash('sha256').update(content).digest('hex'), bytes: 600_000 });
  assert.deepEqual(await scriptFiles.put(own, content), stored);
  assert.deepEqual([filesOf(temp), partsOf(temp)], [1, 3]);
  assert.deepEqual(await scriptFiles.read(own, stored.key), content);
  assert.equal(await scriptFiles.read(other, stored.key), null);
  assert.equal(await scriptFiles.read(own, 'unknown'), null);
  const empty = await scriptFiles.put(own, Buffer.alloc(0));
  assert.deepEqual(await scriptFiles.read(own, empty.key), Buffer.alloc(0));
  assert.deepEqual(await scriptFiles.use(own, [stored.key, 'unknown']), new Map([[stored.key, 600_000]]));
  assert.deepEqual(await scriptFiles.use(other, [stored.key]), new Map());
});

test('a file whose upload was interrupted is stored by the next one', async (newStore) => {
  await using temp = await newStore();
  const { scriptFiles } = temp.store;
  const own = putAccount(temp.raw);
  const content = bytesOf('a picture', 300_000);
  const { key } = await scriptFiles.put(own, content);
  temp.raw.prepare('UPDATE script_files SET is_whole = 0').run();
  temp.raw.prepare('DELETE FROM script_file_parts WHERE part = 1').run();
  assert.equal(await scriptFiles.read(own, key), null);
  assert.deepEqual(await scriptFiles.use(own, [key]), new Map());
  await scriptFiles.put(own, content);
  assert.deepEqual(await scriptFiles.read(own, key), content);
});

test('the files of an account have a limit, and a small one counts as 4 kB', async (newStore) => {
  await using temp = await newStore();
  const { accounts, scriptFiles } = temp.store;
  const [own, other] = [putAccount(temp.raw), putAccount(temp.raw)];
  await accounts.change(own, { limits: { scriptFileBytes: 9000 } });
  const first = await scriptFiles.put(own, bytesOf('one', 10));
  await scriptFiles.put(own, bytesOf('two', 10));
  await assert.rejects(
    scriptFiles.put(own, bytesOf('three', 10)),
    (error) => error instanceof LimitReachedError && error.used === 8192 && error.limit === 9000,
  );
  assert.equal(filesOf(temp), 2, 'nothing is left of the refused one');
  assert.deepEqual(await scriptFiles.put(own, bytesOf('one', 10)), first, 'a stored one needs no room');
  await scriptFiles.put(other, bytesOf('three', 10));
});

test('a file that no check uses is deleted after a day, one that a check uses is not', async (newStore) => {
  await using temp = await newStore();
  const { checks, scriptFiles } = temp.store;
  const [own, other] = [putAccount(temp.raw), putAccount(temp.raw)];
  const add = async (accountId: string, seed: string): Promise<string> =>
    (await scriptFiles.put(accountId, bytesOf(seed, 300_000))).key;
  const [used, unused] = [await add(own, 'used'), await add(own, 'unused')];
  // The check of one account keeps no file of another.
  const foreign = await add(other, 'used');
  const settings = { script: 'a', snapshots: [{ path: 'a-snapshots/b.png', key: used }] };
  for (let n = 0; n < 101; n++) await checks.add({ check: aCheck(own), ...unlimited });
  const check = aCheck(own, { checkType: 'BROWSER', settings });
  await checks.add({ check, ...unlimited });
  assert.equal(await scriptFiles.removeUnused(temp.clock.now()), 0);
  temp.clock.advance(unusedScriptFileMs + 1);
  await scriptFiles.put(own, bytesOf('late', 10));
  let removed = 0;
  for (let round = 0; round < 2; round++) removed += await scriptFiles.removeUnused(temp.clock.now());
  assert.equal(removed, 2);
  assert.equal(await scriptFiles.read(own, unused), null);
  assert.equal(await scriptFiles.read(other, foreign), null);
  assert.deepEqual(await scriptFiles.read(own, used), bytesOf('used', 300_000));
  assert.deepEqual([filesOf(temp), partsOf(temp)], [2, 3]);
  assert.equal(await scriptFiles.removeUnused(temp.clock.now()), 0, 'a used one is looked at once a day');
});

test('a file that is about to be used stays for another day', async (newStore) => {
  await using temp = await newStore();
  const { scriptFiles } = temp.store;
  const own = putAccount(temp.raw);
  const { key } = await scriptFiles.put(own, bytesOf('a picture', 10));
  temp.clock.advance(unusedScriptFileMs - 1);
  assert.deepEqual([...(await scriptFiles.use(own, [key])).keys()], [key]);
  temp.clock.advance(unusedScriptFileMs - 1);
  assert.equal(await scriptFiles.removeUnused(temp.clock.now()), 0);
  temp.clock.advance(2);
  assert.equal(await scriptFiles.removeUnused(temp.clock.now()), 1);
});
