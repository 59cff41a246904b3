// Stages of a runtime until its removal, on both engines: what processes do, and which accounts are notified.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { createNoticeActions, type Notice } from '#actions/operating/notices.ts';
import { createRuntimeEnds, type EndedRuntime } from '#actions/checks/runtime-ends.ts';
import { loadRuntimes } from '#app/scripts/installed-runtimes.ts';
import { scriptRules } from '#app/scripts/script-rules.ts';
import type { Check } from '#domain/checks/check.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import { newId } from '#lib/id.ts';
import type { Log } from '#lib/log.ts';
import { StartError } from '#config/start-error.ts';
import { idBytes } from '#store/base/codec.ts';
import { it, type NewStore, onSqlite, test } from '../support/store/each-engine.ts';
import { aCheck, aGroup } from '../support/store/records.ts';

const dayMs = 86_400_000;
const endsAt = Date.UTC(2027, 3, 30);
const plain = { nodeJsVersion: 'v24.0.0', dependencies: {}, description: null, multiStepSupport: true };
const current: Runtime = { ...plain, name: '2026.10', stage: 'CURRENT', runtimeEndOfLife: null };
const older: Runtime = { ...plain, name: '2026.04', stage: 'STABLE', runtimeEndOfLife: '04/30/2027' };

/** A store a week before the end, in which accounts are made with what they say. */
async function fixture(
  newStore: NewStore,
  runtimes: readonly Runtime[] = [current, older],
  ended: readonly EndedRuntime[] = [],
) {
  const temp = await newStore(endsAt - 7 * dayMs);
  const { store, raw, clock } = temp;
  const installed = () => runtimes;
  const runtimeEnds = createRuntimeEnds({
    ...store,
    ...scriptRules,
    runtimes: installed,
    endedRuntimes: () => ended,
    now: () => clock.now(),
  });
  const notices = createNoticeActions({
    missingVariables: { notices: async () => [] },
    silentCheckNotices: async () => [],
    stormNotices: async () => [],
    ...store,
    runtimeEnds,
    missingBrowsers: async () => [],
    ownFaultNotices: async () => [],
    silentLocations: async () => [],
    processNotices: () => [],
    brokenChannels: async () => [],
  });
  const account = (runtimeId: string | null = null) => {
    const accountId = newId();
    raw
      .prepare('INSERT INTO accounts (id, runtime_id, created_at) VALUES (?, ?, 0)')
      .run(idBytes(accountId), runtimeId);
    return {
      accountId,
      async group(change: Partial<CheckGroup>): Promise<number> {
        const saved = await store.checkGroups.add({
          group: aGroup(accountId, change),
          subscriptions: null,
          isAutoAssigned: false,
        });
        assert.ok('saved' in saved);
        return saved.saved.group.id;
      },
      async check(change: Partial<Check>): Promise<string> {
        const check = aCheck(accountId, change);
        assert.ok('saved' in (await store.checks.add({ check, subscriptions: null, isAutoAssigned: false })));
        return check.id;
      },
      notices: (): Promise<Notice[]> =>
        notices.list({ principal: { kind: 'api-key', id: '' }, role: 'read-only', accountId, accountIds: [accountId] }),
    };
  };
  return { temp, account, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() };
}

const script = { checkType: 'MULTI_STEP', settings: { script: 'await 1;' } } as const;
const around = { localSetupScript: 'await 1;' };

describe('the notice of the end of a runtime', () => {
  it('goes to the accounts that use it, from thirty days before until the day, with how many checks do and where it is named', async (newStore) => {
    await using on = await fixture(newStore);
    const { clock } = on.temp;
    const user = on.account(older.name);
    const other = on.account();
    const group = await user.group({ name: 'Older', runtimeId: older.name });
    const newer = await user.group({ name: 'Newer', runtimeId: current.name });
    const own = await user.check({ ...script, runtimeId: older.name });
    for (const change of [{}, { runtimeFallback: true }, { checkType: 'API', settings: around }] as const)
      await user.check({ ...script, groupId: group, ...change });
    await user.check(script);
    // These use another one, or none: without scripts none is needed, whatever is named.
    await user.check({ checkType: 'URL', groupId: group, runtimeId: older.name });
    await user.check({ groupId: group });
    await user.check({ ...script, groupId: newer });
    await user.check({ ...script, groupId: group, runtimeId: current.name });
    await user.check({ checkType: 'HEARTBEAT', settings: {} });
    for (const settings of [{}, { localSetupScript: 'await 1;' }]) await other.check({ settings });
    await other.check(script);

    assert.deepEqual(await other.notices(), []);
    const [notice, ...more] = await user.notices();
    assert.deepEqual(more, []);
    assert.deepEqual(notice, {
      id: 'runtime-ends:2026.04',
      kind: 'runtime-ends',
      since: endsAt - 30 * dayMs,
      subject: '2026.04',
      message:
        'The runtime 2026.04 ends on 04/30/2027: 5 checks of this account use it; 4 of them will not run after that.',
      action: `Choose another runtimeId in PUT /v1/accounts/${user.accountId} (1 check); in PUT /v1/check-groups/{id}: ${group} "Older" (3 checks); of 1 check, under their type: ${own}.`,
    });
    clock.advance(6 * dayMs);
    assert.equal((await user.notices()).length, 1, 'the day before');
    clock.advance(dayMs);
    assert.deepEqual(await user.notices(), [], 'on the day it is one of those that have ended');
    clock.advance(-31 * dayMs);
    assert.deepEqual(await user.notices(), [], 'earlier');
  });

  onSqlite(
    'of the CURRENT one goes to those with scripts that name none, their own or around a request',
    async (newStore) => {
      await using on = await fixture(newStore, [{ ...current, runtimeEndOfLife: '04/30/2027' }]);
      const bare = on.account();
      const around = on.account();
      const group = await around.group({ localTearDownScript: 'await 1;' });
      for (const one of [bare, around]) {
        await one.check({});
        await one.check({ checkType: 'URL' });
      }
      await around.check({ groupId: group });
      await around.check({ settings: { localSetupScript: 'await 1;' } });
      await around.check({ settings: { localSetupScript: ' ' } });
      assert.deepEqual(await bare.notices(), []);
      const [notice] = await around.notices();
      assert.match(notice?.message ?? '', /2 checks of this account use it and will not run after that\.$/);
      assert.match(notice?.action ?? '', /^Choose another runtimeId for 2 checks that use it by default/);
    },
  );

  it('stays after the end, with how many checks do not run for it, until none does', async (newStore) => {
    const gone = { ...older, stage: 'DEPRECATED', endedAt: endsAt } as const;
    await using on = await fixture(newStore, [current], [gone]);
    on.temp.clock.advance(40 * dayMs);
    const user = on.account(older.name);
    await user.check({ checkType: 'TCP' });
    await user.check({ ...script, runtimeFallback: true });
    await user.check({ ...script, runtimeId: current.name });
    // Of one that was never here nobody knows when it ended.
    await user.check({ ...script, runtimeId: '2019.01' });
    assert.deepEqual(await user.notices(), []);
    const group = await user.group({ name: 'Older', runtimeId: older.name });
    const own = await user.check({ ...script, groupId: group, runtimeId: older.name });
    await user.check({ ...script, groupId: group });
    await user.check(script);
    assert.deepEqual(await user.notices(), [
      {
        id: 'runtime-ended:2026.04',
        kind: 'runtime-ended',
        since: endsAt,
        subject: '2026.04',
        message: 'The runtime 2026.04 ended on 04/30/2027: 3 checks of this account no longer run.',
        action: `Choose another runtimeId in PUT /v1/accounts/${user.accountId} (1 check); in PUT /v1/check-groups/{id}: ${group} "Older" (1 check); of 1 check, under their type: ${own}.`,
      },
    ]);
    assert.deepEqual(await on.account().notices(), []);
  });

  onSqlite(
    'after the end of the CURRENT one goes to those that name none, while there is no other',
    async (newStore) => {
      const gone = { ...current, endedAt: endsAt - 40 * dayMs } as const;
      await using alone = await fixture(newStore, [], [gone]);
      const user = alone.account();
      await user.check(script);
      const [notice] = await user.notices();
      assert.equal(notice?.message, 'The runtime 2026.10 is removed: 1 check of this account no longer runs.');
      await using on = await fixture(newStore, [{ ...current, name: '2027.04' }], [gone]);
      const next = on.account();
      await next.check(script);
      assert.deepEqual(await next.notices(), []);
    },
  );

  onSqlite('says which checks go on in another one, and tells an account that only names it', async (newStore) => {
    await using on = await fixture(newStore);
    const naming = on.account(older.name);
    assert.match((await naming.notices())[0]?.message ?? '', /: no check of this account uses it yet\.$/);
    const fallen = on.account();
    await fallen.check({ ...script, runtimeId: older.name, runtimeFallback: true });
    assert.match((await fallen.notices())[0]?.message ?? '', /: 1 check .* and will then use another runtime\.$/);
    // Its own is gone already: it goes on where the account says, and that ends now.
    await naming.check({ ...script, runtimeId: '2025.10', runtimeFallback: true });
    const [notice] = await naming.notices();
    assert.match(notice?.message ?? '', /: 1 check of this account uses it and will then use another runtime/);
    assert.match(notice?.action ?? '', /PUT \/v1\/accounts\/[-\w]+ \(1 check\)\.$/);
  });

  it('counts every check of an account that has many, and names the first', async (newStore) => {
    await using on = await fixture(newStore);
    const { raw } = on.temp;
    const user = on.account();
    await user.check({ ...script, runtimeId: older.name });
    const copy = raw.prepare(
      `INSERT INTO checks (account_id, id, check_type, name, activated, muted, group_id, tags, definition, created_at)
       SELECT account_id, ?, check_type, name, activated, muted, group_id, tags, definition, created_at FROM checks
       WHERE account_id = ? LIMIT 1`,
    );
    for (let copies = 0; copies < 500; copies++) copy.run(idBytes(newId()), idBytes(user.accountId));
    const [notice] = await user.notices();
    assert.match(notice?.message ?? '', /501 checks of this account use it/);
    assert.match(notice?.action ?? '', /of 501 checks, under their type: (?:[-\da-f]{36}(?:, )?){5} and 496 more\.$/);
  });
});

/** A folder of runtimes without packages, and a log that is kept. */
function folderOf(t: { after(work: () => void): void }) {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-runtimes-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const logged: string[] = [];
  const note = (name: string, fields: Readonly<Record<string, unknown>> = {}): void =>
    void logged.push(`${name} ${String(fields['runtime'])}`);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const put = (name: string, manifest: Readonly<Record<string, unknown>>): void => {
    mkdirSync(join(folder, name), { recursive: true });
    const whole = { name, multiStepSupport: true, node: 'project', ...manifest };
    writeFileSync(join(folder, name, 'manifest.json'), JSON.stringify(whole));
    writeFileSync(join(folder, name, 'package.json'), '{}');
  };
  return { folder, log, logged, put };
}

test('a stage that steps back refuses the next start, and what was seen last stays remembered', async (newStore) => {
  await using temp = await newStore();
  await using stack = new AsyncDisposableStack();
  const { folder, log, put } = folderOf({ after: (work) => stack.defer(work) });
  const start = () => loadRuntimes(temp.store, temp.clock, log, folder);
  put('2026.10', { stage: 'CURRENT' });
  put('2026.04', { stage: 'DEPRECATED' });
  assert.deepEqual(
    (await start()).list().map(({ name }) => name),
    ['2026.10', '2026.04'],
  );
  put('2026.04', { stage: 'STABLE' });
  for (let starts = 0; starts < 2; starts++) {
    await assert.rejects(start(), (error: unknown) => {
      assert.ok(error instanceof StartError);
      assert.equal(error.message, 'runtime 2026.04: stage cannot go back from DEPRECATED to STABLE');
      return true;
    });
  }
  put('2026.04', { stage: 'REMOVED' });
  const loaded = await start();
  assert.deepEqual(
    loaded.list().map(({ name }) => name),
    ['2026.10'],
  );
  assert.deepEqual(
    loaded.ended().map(({ name, endedAt }) => [name, endedAt]),
    [['2026.04', temp.clock.now()]],
  );
});

test('on the day of its end a runtime leaves the list of a running process, which says so once', async (newStore) => {
  await using temp = await newStore(endsAt - 31 * dayMs);
  await using stack = new AsyncDisposableStack();
  const { folder, log, logged, put } = folderOf({ after: (work) => stack.defer(work) });
  put('2026.10', { stage: 'CURRENT' });
  put('2026.04', { stage: 'STABLE', runtimeEndOfLife: '04/30/2027' });
  put('2025.10', { stage: 'DEPRECATED', runtimeEndOfLife: '10/31/2026' });
  const loaded = await loadRuntimes(temp.store, temp.clock, log, folder);
  const names = () => [loaded.list(), loaded.ended()].map((all) => all.map(({ name }) => name).join());
  const before = loaded.list();
  temp.clock.advance(31 * dayMs - 1);
  assert.deepEqual(names(), ['2026.10,2026.04', '2025.10']);
  assert.equal(loaded.list(), before, 'the same list until one ends');
  temp.clock.advance(1);
  for (let asked = 0; asked < 2; asked++) assert.deepEqual(names(), ['2026.10', '2026.04,2025.10']);
  assert.deepEqual(logged, ['runtime.ends 2026.04', 'runtime.ended 2026.04']);
  assert.deepEqual(
    loaded.ended().map(({ endedAt }) => endedAt),
    [endsAt, Date.UTC(2026, 9, 31)],
  );
  const known = [
    { runtime: '2026.04', at: endsAt },
    { runtime: '2025.10', at: Date.UTC(2026, 9, 31) },
  ];
  assert.deepEqual(loaded.ends(), known);
  const again = await loadRuntimes(temp.store, temp.clock, log, folder);
  assert.deepEqual([again.list().map(({ name }) => name), again.ends()], [['2026.10'], known], 'after a restart');
});
