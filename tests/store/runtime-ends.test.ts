// Who is told that a runtime ends: the accounts whose checks come to it, by whatever names it, on both engines.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createNoticeActions, type Notice } from '#actions/notices.ts';
import { createRuntimeEnds } from '#actions/runtime-ends.ts';
import { scriptRules } from '#compose-script-rules.ts';
import type { Check } from '#domain/check.ts';
import type { CheckGroup } from '#domain/check-group.ts';
import type { Runtime } from '#domain/runtime.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/codec.ts';
import { it, type NewStore } from '../support/each-engine.ts';
import { aCheck, aGroup } from '../support/records.ts';

const dayMs = 86_400_000;
const endsAt = Date.UTC(2027, 3, 30);
const plain = { nodeJsVersion: 'v24.0.0', dependencies: {}, description: null, multiStepSupport: true };
const current: Runtime = { ...plain, name: '2026.10', stage: 'CURRENT', runtimeEndOfLife: null };
const older: Runtime = { ...plain, name: '2026.04', stage: 'STABLE', runtimeEndOfLife: '04/30/2027' };

/** A store a week before the end, in which accounts are made with what they say. */
async function scene(newStore: NewStore, runtimes: readonly Runtime[] = [current, older]) {
  const temp = await newStore(endsAt - 7 * dayMs);
  const { store, raw, clock } = temp;
  const installed = () => runtimes;
  const runtimeEnds = createRuntimeEnds({ ...store, ...scriptRules, runtimes: installed, now: () => clock.now() });
  const notices = createNoticeActions({
    ...store,
    runtimeEnds,
    missingBrowsers: async () => [],
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
        notices.list({ keyId: '', role: 'read-only', accountId, accountIds: [accountId] }),
    };
  };
  return { temp, account, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() };
}

const script = { checkType: 'MULTI_STEP', settings: { script: 'await 1;' } } as const;

describe('the notice of the end of a runtime', () => {
  it('goes to the accounts that use it, from thirty days before until the day, with how many checks do and where it is named', async (newStore) => {
    await using on = await scene(newStore);
    const { clock } = on.temp;
    const user = on.account(older.name);
    const other = on.account();
    const group = await user.group({ name: 'Older', runtimeId: older.name });
    const newer = await user.group({ name: 'Newer', runtimeId: current.name });
    const own = await user.check({ ...script, runtimeId: older.name });
    for (const change of [{}, { checkType: 'URL' }, { runtimeFallback: true }] as const)
      await user.check({ ...script, groupId: group, ...change });
    await user.check(script);
    // These use another one, or none.
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
        'The runtime 2026.04 ends on 04/30/2027: 5 checks of this account use it, and 4 of them will not run after that.',
      action: `Choose another runtimeId in PUT /v1/accounts/${user.accountId} (1 check); in PUT /v1/check-groups/{id}: ${group} "Older" (3 checks); of 1 check, under their type: ${own}.`,
    });
    clock.turn(6 * dayMs);
    assert.equal((await user.notices()).length, 1, 'the day before');
    clock.turn(dayMs);
    assert.deepEqual(await user.notices(), [], 'on the day');
    clock.turn(-31 * dayMs);
    assert.deepEqual(await user.notices(), [], 'earlier');
  });

  it('of the CURRENT one goes to those with scripts that name none, their own or around a request', async (newStore) => {
    await using on = await scene(newStore, [{ ...current, runtimeEndOfLife: '04/30/2027' }]);
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
    assert.match(notice?.message ?? '', /2 checks of this account use it, and will not run after that\.$/);
    assert.match(notice?.action ?? '', /^Choose another runtimeId for 2 checks that run in it unnamed/);
  });

  it('says which checks go on in another one, and tells an account that only names it', async (newStore) => {
    await using on = await scene(newStore);
    const naming = on.account(older.name);
    assert.match((await naming.notices())[0]?.message ?? '', /: no check of this account uses it yet\.$/);
    const fallen = on.account();
    await fallen.check({ ...script, runtimeId: older.name, runtimeFallback: true });
    assert.match((await fallen.notices())[0]?.message ?? '', /: 1 check .* goes on in another one after that\.$/);
    // Its own is gone already: it goes on where the account says, and that ends now.
    await naming.check({ ...script, runtimeId: '2025.10', runtimeFallback: true });
    const [notice] = await naming.notices();
    assert.match(notice?.message ?? '', /: 1 check of this account uses it, and goes on in another one/);
    assert.match(notice?.action ?? '', /PUT \/v1\/accounts\/[-\w]+ \(1 check\)\.$/);
  });

  it('counts every check of an account that has many, and names the first', async (newStore) => {
    await using on = await scene(newStore);
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
