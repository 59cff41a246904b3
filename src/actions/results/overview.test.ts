// The overview of very many tags holds nobody up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { OverviewCheck } from '#domain/results/overview.ts';
import { createOverviewActions, type OverviewDeps } from './overview.ts';

const caller: Caller = {
  principal: { kind: 'api-key', id: 'k' },
  role: 'read-only',
  accountId: 'a',
  accountIds: ['a'],
};

function checkOf(index: number): OverviewCheck {
  return {
    checkId: `c${index}`,
    name: `check ${index}`,
    checkType: 'API',
    tags: Array.from({ length: 100 }, (_, tag) => `tag-${(index * 37 + tag * 101) % 900}`),
    groupId: null,
    groupName: null,
    groupTags: ['tag-5'],
    url: null,
    searchText: `check ${index}`,
    activated: true,
    isActive: true,
    isMuted: false,
    mutedUntil: 0,
    mutedFrom: 0,
    isNotifying: true,
    frequencyMs: 60_000,
    expectedMs: 60_000,
    phaseMs: 0,
    createdAt: 1,
    incidentOf: null,
    state: null,
  };
}

const statusIncidents = { countDrafts: async () => 0 };

test('the event loop turns many times while 4,000 checks with 100 tags each are grouped', async () => {
  const checks = Array.from({ length: 4000 }, (_, index) => checkOf(index));
  const overview: OverviewDeps['overview'] = {
    checks: async () => ({ checks, groups: new Map(), windows: [] }),
    figures: async () => new Map(),
    availabilities: async () => new Map(),
    newestResults: async () => new Map(),
    incidentChanges: async () => new Map(),
    deliveries: async () => ({ pending: 0, retrying: 0, exhausted24h: 0 }),
  };
  const actions = createOverviewActions({
    overview,
    statusIncidents,
    afterGaps: async () => true,
    targetOf: () => null,
    clock: { now: () => 1_795_000_000_000 },
  });
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const question = { sort: 'state', isDescending: false, groupBy: 'tag', limit: 100, offset: 0 } as const;
  const { total, sections } = await actions.read(caller, question);
  isOver = true;
  const own = checks.filter(({ tags }) => !tags.includes('tag-5')).length;
  assert.deepEqual([total, sections.length, sections[0]?.name], [400_000 + own, 900, 'tag-0']);
  assert.ok(turns > 4, `${turns} turns`);
});

test('the overview says that some time before the start is not evaluated yet', async () => {
  const overview: OverviewDeps['overview'] = {
    checks: async () => ({ checks: [], groups: new Map(), windows: [] }),
    figures: async () => new Map(),
    availabilities: async () => new Map(),
    newestResults: async () => new Map(),
    incidentChanges: async () => new Map(),
    deliveries: async () => ({ pending: 0, retrying: 0, exhausted24h: 0 }),
  };
  const question = { sort: 'state', isDescending: false, limit: 100, offset: 0 } as const;
  for (const isSettled of [true, false]) {
    const afterGaps = async () => isSettled;
    const options = { overview, statusIncidents, afterGaps, targetOf: () => null, clock: { now: () => 0 } };
    assert.equal((await createOverviewActions(options).read(caller, question)).gapsPending, !isSettled);
  }
});
