// Assets of a run are stored after its result, and losing them does not affect the result.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Asset } from '#domain/results/asset.ts';
import type { EndedAttempt, Recorded } from '#domain/results/recording.ts';
import { createKeepAssets } from './keep-assets.ts';

const asset = (bytes: number): Asset => ({
  sort: 'screenshot',
  name: 'shot',
  contentType: 'image/png',
  content: new Uint8Array(bytes),
});

interface Inspect {
  readonly outcome?: EndedAttempt['outcome'];
  readonly source?: string;
  readonly assets?: readonly Asset[];
}

function attempt({ outcome = 'failed', source = 'SCHEDULER', assets = [asset(3)] }: Inspect = {}): EndedAttempt {
  const run = { accountId: 'a', checkId: 'c', id: 'r', location: 'local', source };
  return { run, outcome, finding: { message: 'seen', assets } } as unknown as EndedAttempt;
}

const recorded: Recorded = { isRecorded: true, resultId: 'id', change: null, alertTypes: [], deliveries: 0 };

function fixture(answer: Recorded | null = recorded, fails = false) {
  const reported: string[] = [];
  const keep = createKeepAssets({
    store: {
      keep: async ({ resultId }, assets, keeping) => {
        if (fails) throw new Error('the disk is full');
        reported.push(`${resultId}: ${assets.length} ${keeping}`);
      },
    },
    record: async ({ finding }) => {
      reported.push(`recorded ${String(finding.message)} ${'assets' in finding ? 'with assets' : 'alone'}`);
      return answer;
    },
    onLost: (_attempt, why) => void reported.push(`lost: ${why}`),
  });
  return { keep, reported };
}

test('assets are stored once the result is recorded, which does not wait with them', async () => {
  const { keep, reported } = fixture();
  await keep(attempt());
  assert.deepEqual(reported, ['recorded seen alone', 'id: 1 with-result']);
});

test('assets without a recorded result are not stored', async () => {
  for (const answer of [null, { ...recorded, isRecorded: false }]) {
    const { keep, reported } = fixture(answer);
    await keep(attempt());
    assert.deepEqual(reported, ['recorded seen alone']);
  }
  const { keep, reported } = fixture();
  await keep(attempt({ assets: [] }));
  assert.deepEqual(reported, ['recorded seen alone']);
});

test('assets stay with a result that is retained, and otherwise until the next one', async () => {
  const change = { from: 'failing', to: 'passing' } as unknown as NonNullable<Recorded['change']>;
  for (const [inspect, answer, keeping] of [
    [{ outcome: 'passed' }, recorded, 'newest'],
    [{ outcome: 'passed' }, { ...recorded, change }, 'with-result'],
    [{ outcome: 'passed', source: 'TRIGGER_API' }, recorded, 'with-result'],
    [{ outcome: 'degraded' }, recorded, 'with-result'],
  ] as const) {
    const { keep, reported } = fixture(answer);
    await keep(attempt(inspect));
    assert.equal(reported.at(-1), `id: 1 ${keeping}`);
  }
});

test('a failure to store assets is reported, and the result is kept', async () => {
  const { keep, reported } = fixture(recorded, true);
  await keep(attempt());
  assert.deepEqual(reported, ['recorded seen alone', 'lost: the disk is full']);
});

test('the number of assets that wait with their results is limited', async () => {
  const waiting: (() => void)[] = [];
  const reported: string[] = [];
  const keep = createKeepAssets({
    store: { keep: async () => void reported.push('kept') },
    record: () => new Promise((resolve) => waiting.push(() => resolve(recorded))),
    onLost: (_attempt, why) => void reported.push(why),
  });
  const megabytes = Array.from({ length: 2 }, () => asset(10 << 20));
  const all = Array.from({ length: 8 }, () => keep(attempt({ assets: megabytes })));
  assert.equal(reported.length, 2, 'the seventh and the eighth of 20 MB');
  for (const resolve of waiting) resolve();
  await Promise.all(all);
  assert.deepEqual(reported.slice(2), Array<string>(6).fill('kept'));
  const next = keep(attempt({ assets: megabytes }));
  waiting.at(-1)?.();
  await next;
  assert.equal(reported.at(-1), 'kept', 'there is room again');
});

test('dropped assets are released while their result waits', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const waiting: (() => void)[] = [];
  const keep = createKeepAssets({
    store: { keep: async () => undefined },
    record: () => new Promise((resolve) => waiting.push(() => resolve(recorded))),
    onLost: () => undefined,
  });
  const held: WeakRef<Uint8Array>[] = [];
  const leave = (megabytes: number): void => {
    const assets = [asset(megabytes << 20)];
    held.push(new WeakRef(assets[0]?.content ?? new Uint8Array()));
    void keep(attempt({ assets }));
  };
  leave(120);
  leave(20);
  // An object whose reference was created in this turn is not collected in it.
  await new Promise(setImmediate);
  collect();
  assert.deepEqual(
    held.map((reference) => reference.deref()?.length ?? null),
    [120 << 20, null],
  );
  for (const resolve of waiting) resolve();
});
