// The queue of trials on both engines: shared fairly, leased, encrypted and emptied.
import assert from 'node:assert/strict';
import { plainCheck } from '#domain/checks/check.ts';
import { trialAssetBytes, trialLifeMs, trialsAtOnce } from '#domain/results/check-trial.ts';
import { monthStart } from '#domain/accounts/account.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';
import { trialsKept } from '#store/checks/check-trials.ts';
import { newId } from '#lib/id.ts';
import { test } from '../support/store/each-engine.ts';
import { PathUnderTest } from './path-under-test.ts';

const leaseMs = 10_000;

function opened(test: PathUnderTest) {
  const { store, clock } = test.temp;
  const trials = store.checkTrials;
  const settings = { request: { url: 'https://canary.example' } };
  const trialOf = (accountId: string) => {
    const check = { ...plainCheck, accountId, id: newId(), checkType: 'API', name: 'Shop', settings, createdAt: 0 };
    return { accountId, id: newId(), location: 'local', check, createdAt: clock.now() };
  };
  const leaseOf = (owner: string, location = 'local') => ({ location, owner, now: clock.now(), leaseMs });
  const claim = (owner: string, max = 20, location = 'local') => trials.claim(leaseOf(owner, location), max);
  const passed: Finding = { ...bareFinding(clock.now(), { verdict: 'passed', reason: null, message: null }) };
  return { trials, trialOf, claim, leaseOf, clock, passed };
}

test('a trial is leased once, repeated after a lost lease, and ends with its newest owner', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { trials, trialOf, claim, leaseOf, clock, passed } = opened(test);
  const trial = trialOf(test.accountId);
  assert.equal(await trials.add(trial), 'added');
  const stored = test.rows('SELECT definition, finding FROM check_trials');
  assert.ok(!JSON.stringify(stored).includes('canary'), 'definitions are encrypted');
  assert.deepEqual(await claim('one', 20, 'elsewhere'), []);
  assert.deepEqual(await claim('one'), [trial]);
  assert.deepEqual(await claim('two'), []);
  assert.equal((await trials.find(test.accountId, trial.id))?.status, 'running');
  clock.advance(leaseMs - 1);
  await trials.renew([trial], leaseOf('one'));
  clock.advance(leaseMs - 1);
  assert.deepEqual(await claim('two'), [], 'it was renewed');
  clock.advance(1);
  assert.deepEqual(await claim('two'), [trial]);
  const content = Buffer.from('picture');
  const picture = { sort: 'screenshot', name: 'a.png', contentType: 'image/png', content } as const;
  const large = { ...picture, content: Buffer.alloc(trialAssetBytes) };
  await trials.end(trial, 'one', { ...passed, message: 'late' });
  await trials.end(trial, 'two', { ...passed, assets: [picture, large, { ...picture, sort: 'trace' }] });
  const ended = await trials.find(test.accountId, trial.id);
  assert.deepEqual([ended?.status, ended?.finding?.message, ended?.finding?.assets], ['ended', null, [picture]]);
  assert.deepEqual(await claim('two'), []);
  assert.equal(await trials.find(newId(), trial.id), null);
  assert.deepEqual(
    [await trials.remove(newId(), trial.id), await trials.remove(test.accountId, trial.id)],
    [false, true],
  );
});

test('accounts take turns, one has a few trials at a time, and their runs count', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { trials, trialOf, claim, clock, passed } = opened(test);
  const other = newId();
  test.temp.raw
    .prepare('INSERT INTO accounts (id, name, execution_limit, created_at) VALUES (?, ?, ?, ?)')
    .run(Buffer.from(other.replaceAll('-', ''), 'hex'), 'Other', 1, 0);
  const many = Array.from({ length: trialsAtOnce + 1 }, () => trialOf(test.accountId));
  const added = await Promise.all(many.map((trial) => trials.add(trial)));
  assert.deepEqual(added.toSorted(), [...Array.from({ length: trialsAtOnce }, () => 'added'), 'full']);
  const late = trialOf(other);
  assert.equal(await trials.add(late), 'added');
  assert.equal(await trials.add(trialOf(other)), 'over-limit');
  const month = monthStart(clock.now());
  assert.equal(test.one(`SELECT sum(used) FROM usage WHERE month = ${month}`), trialsAtOnce + 1);
  const first = await claim('one', 2);
  assert.deepEqual(new Set(first.map(({ accountId }) => accountId)), new Set([test.accountId, other]));
  const rest = await claim('one');
  assert.equal(rest.length, trialsAtOnce - 1);
  for (const trial of [...first, ...rest]) await trials.end(trial, 'one', passed);
  for (let round = 0; round < 3; round++) {
    const more = Array.from({ length: trialsAtOnce }, () => trialOf(test.accountId));
    for (const trial of more) assert.equal(await trials.add(trial), 'added');
    for (const trial of await claim('one')) await trials.end(trial, 'one', passed);
  }
  const own = Buffer.from(test.accountId.replaceAll('-', ''), 'hex');
  const { kept } = test.temp.raw.prepare('SELECT count(*) AS kept FROM check_trials WHERE account_id = ?').get(own) as {
    kept: number;
  };
  assert.equal(kept, trialsKept, 'unread ones give way');
  clock.advance(trialLifeMs);
  assert.equal(await trials.removeOld(clock.now()), 0);
  clock.advance(1);
  assert.equal(await trials.removeOld(clock.now()), trialsKept + 1);
});

test('progress is encrypted, numbered without gaps, and deleted with the run that reported it', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { trials, trialOf, claim, clock, leaseOf, passed } = opened(test);
  const { accountId } = test;
  const stored = () => test.one('SELECT count(*) FROM trial_slices');
  const trial = trialOf(accountId);
  await trials.add(trial);
  await claim('one');
  const content = Buffer.from('picture');
  const picture = { sort: 'screenshot', name: 'a.png', contentType: 'image/png', content } as const;
  const slice = { isFirst: true, reported: { openStep: 'canary' }, screenshots: [picture] };
  await trials.addSlice(trial, 'one', slice);
  await trials.addSlice(trial, 'two', slice);
  await trials.addSlice(trial, 'one', { ...slice, isFirst: false, screenshots: [] });
  assert.ok(!JSON.stringify(test.rows('SELECT content FROM trial_slices')).includes('canary'));
  assert.deepEqual(await trials.slices(accountId, trial.id, 0), [
    { ...slice, number: 1 },
    { ...slice, number: 2, isFirst: false, screenshots: [] },
  ]);
  assert.deepEqual(
    (await trials.slices(accountId, trial.id, 1)).map(({ number }) => number),
    [2],
  );
  assert.deepEqual(await trials.slices(newId(), trial.id, 0), []);
  assert.equal((await trials.find(accountId, trial.id))?.slices, 2);
  clock.advance(leaseMs);
  await claim('two');
  assert.equal(stored(), 0, 'the run is repeated');
  await trials.addSlice(trial, 'two', slice);
  assert.deepEqual(
    (await trials.slices(accountId, trial.id, 2)).map(({ number }) => number),
    [3],
  );
  assert.deepEqual(await trials.renew([trial], leaseOf('two')), []);
  assert.deepEqual(await trials.renew([trial], leaseOf('one')), [trial.id], 'it is another process’s');
  await trials.end(trial, 'two', passed);
  assert.equal(stored(), 0, 'its result has everything');
  const removed = trialOf(accountId);
  await trials.add(removed);
  await claim('one');
  await trials.addSlice(removed, 'one', slice);
  await trials.remove(accountId, removed.id);
  assert.equal(stored(), 0);
  await trials.addSlice(removed, 'one', slice);
  assert.equal(stored(), 0, 'it was removed');
  const left = trialOf(accountId);
  await trials.add(left);
  await claim('one');
  await trials.addSlice(left, 'one', slice);
  clock.advance(trialLifeMs + 1);
  await trials.removeOld(clock.now());
  assert.equal(stored(), 0);
});
