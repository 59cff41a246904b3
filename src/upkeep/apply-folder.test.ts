// The loop of the folder: one process at a time, again after a change or an hour, and problems reported once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigFolderState } from '#domain/projects/config-folder.ts';
import { createApplyFolder, type FolderOutcome } from './apply-folder.ts';

/** Processes that share the state of a folder. */
function shared() {
  let state: ConfigFolderState | null = null;
  const world = { now: 1000, signature: 'a', problem: null as string | null, applied: [] as string[] };
  const process = (owner: string, apply?: () => Promise<FolderOutcome>) => {
    const problems: (string | null)[] = [];
    const tick = createApplyFolder({
      store: {
        state: () => Promise.resolve(state),
        move: (before, after) => {
          const isFirst = JSON.stringify(before) === JSON.stringify(state);
          if (isFirst) state = after;
          return Promise.resolve(isFirst);
        },
      },
      signature: () => world.signature,
      account: () => Promise.resolve({ id: 'account', isAmbiguous: false }),
      apply: () => {
        world.applied.push(owner);
        return apply?.() ?? Promise.resolve({ problem: world.problem });
      },
      owner,
      clock: { now: () => world.now },
      onProblem: (problem) => problems.push(problem),
    });
    return { tick, problems };
  };
  return { world, process };
}

test('of two processes, the other does not apply the folder meanwhile', async () => {
  const { world, process } = shared();
  const held = Promise.withResolvers<FolderOutcome>();
  const first = process('one', () => held.promise);
  const second = process('two');
  const applying = first.tick();
  while (world.applied.length === 0) await Promise.resolve();
  await second.tick();
  assert.deepEqual(world.applied, ['one']);
  held.resolve({ problem: null });
  await applying;
});

test('a process that ended before the clock was set back does not keep others from applying', async () => {
  const { world, process } = shared();
  world.now = 1e12;
  void process('one', () => Promise.withResolvers<FolderOutcome>().promise).tick();
  while (world.applied.length === 0) await Promise.resolve();
  world.now -= 3_600_000;
  await process('two').tick();
  assert.deepEqual(world.applied, ['one', 'two']);
});

test('an unchanged folder is applied again after an hour, a changed or half-read one at once', async () => {
  const { world, process } = shared();
  const outcomes: FolderOutcome[] = ['again', { problem: null }];
  const { tick } = process('one', () => Promise.resolve(outcomes.shift() ?? { problem: null }));
  for (let count = 0; count < 4; count++) await tick();
  assert.equal(world.applied.length, 2, 'once more after it was replaced while it was read');
  world.signature = 'b';
  await tick();
  assert.equal(world.applied.length, 3);
  world.now += 3_600_000;
  await tick();
  await tick();
  assert.equal(world.applied.length, 4);
});

test('a problem is reported when it begins and when it ends', async () => {
  const { world, process } = shared();
  const { tick, problems } = process('one');
  for (const [signature, problem] of [
    ['a', 'wrong'],
    ['b', 'wrong'],
    ['c', null],
    ['d', null],
  ] as const) {
    Object.assign(world, { signature, problem });
    await tick();
  }
  assert.deepEqual(problems, ['wrong', null]);
});
