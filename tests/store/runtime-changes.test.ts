// Changes of groups and accounts that would leave checks with scripts without a runtime, on both engines.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createAccountActions } from '#actions/accounts/accounts.ts';
import { createGroupActions } from '#actions/checks/check-groups.ts';
import { createCheckActions } from '#actions/checks/checks.ts';
import { ensureFirstAccount } from '#actions/accounts/setup.ts';
import { Refusal } from '#actions/refusal.ts';
import { scriptRules } from '#app/scripts/script-rules.ts';
import { composeMissingVariables } from '#app/http/warnings.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Check } from '#domain/checks/check.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import { newId } from '#lib/id.ts';
import { aCheck, aGroup, noNotifications } from '../support/store/records.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import type { TempStore } from '../support/store/temp-store.ts';

const plain = {
  nodeJsVersion: 'v24.0.0',
  dependencies: { playwright: '1.60.0', '@playwright/test': '1.60.0' },
  runtimeEndOfLife: null,
  description: null,
};
const current: Runtime = { ...plain, name: '2026.10', stage: 'CURRENT', multiStepSupport: true };
const bare: Runtime = { ...plain, name: '2026.04', stage: 'STABLE', multiStepSupport: false, dependencies: {} };
const ending: Runtime = { ...bare, name: '2025.04', multiStepSupport: true, runtimeEndOfLife: '01/01/2020' };

const ownId = '0199f0c4-0000-7000-8000-000000000001';
const caller: Caller = {
  accountId: ownId,
  accountIds: [ownId],
  principal: { kind: 'api-key', id: 'k' },
  role: 'admin',
};

async function fixture(
  { store, clock }: TempStore,
  runtimes: readonly Runtime[] = [current, bare, ending],
  codes: readonly string[] = ['local'],
) {
  assert.ok(await ensureFirstAccount({ apiKeys: store.apiKeys, clock }, { accountId: ownId }));
  const deps = {
    ...store,
    ...scriptRules,
    checks: {
      ...store.checks,
      remove: (accountId: string, id: string) => store.checks.remove(accountId, id, noNotifications),
    },
    runtimes: () => runtimes,
    now: () => clock.now(),
    locations: () => codes.map((code) => ({ code })),
    scriptFault: () => Promise.resolve(null),
    scriptsRefused: () => Promise.resolve(null),
    programFault: () => Promise.resolve(null),
    validateSettings: () => [],
    commonProblems: () => [],
    missingVariables: composeMissingVariables(store),
    settingsWarnings: { ofCheck: () => [], ofDefaults: () => [] },
    validateConfig: () => [],
    newId,
    newToken: randomUUID,
    pingUrl: (token: string) => token,
  };
  const checks = createCheckActions(deps);
  const groups = createGroupActions(deps);
  const accounts = createAccountActions({ ...deps, forget: () => undefined, clock });
  const { accountId: _a, id: _i, createdAt: _c, updatedAt: _u, ...group } = aGroup(ownId);
  const made = await groups.create(caller, { ...group, alertChannelSubscriptions: [] }, false);
  const add = (checkType: Check['checkType'], change: Partial<Check> = {}) => {
    const {
      accountId: _own,
      id: _id,
      checkType: _type,
      createdAt: _at,
      updatedAt: _on,
      ...fields
    } = aCheck(ownId, change);
    return checks.create(caller, checkType, { ...fields, alertChannelSubscriptions: [] }, false);
  };
  return { checks, groups, accounts, groupId: made.id, add };
}

const refused = (field: string, message: RegExp) => (error: unknown) =>
  error instanceof Refusal && error.code === 'invalid' && message.test(String(error.attributes?.[field]));

const hooked = { request: { method: 'GET', url: 'https://shop.example/' }, localSetupScript: 'await 1;' };
const script = { script: 'await 1;', scriptPath: 'check.mjs' };

onSqlite(
  'a group is not given a runtime that would leave checks in it without one for their scripts',
  async (newStore) => {
    await using temp = await newStore();
    const { groups, groupId, add } = await fixture(temp);
    for (const name of ['One', 'Two']) await add('MULTI_STEP', { name, groupId, settings: script });
    await add('MULTI_STEP', { groupId, runtimeId: '2026.10', settings: script });
    await add('API', { groupId });
    await assert.rejects(
      groups.change(caller, groupId, { runtimeId: '2026.04' }),
      refused(
        'runtimeId',
        /^would leave 2 checks in this group without a runtime .*"(?:One|Two)": .*does not support multi-step/,
      ),
    );
    const changed = await groups.change(caller, groupId, { runtimeId: '2026.10' });
    assert.equal(changed.runtimeId, '2026.10');
    assert.equal((await groups.change(caller, groupId, { name: 'Others' })).name, 'Others');
  },
);

onSqlite('a group is not given a script that its checks have no runtime for', async (newStore) => {
  await using temp = await newStore();
  const runtimes = [bare];
  const { groups, groupId, add } = await fixture(temp, runtimes);
  const { id } = await add('API', { name: 'Cart', groupId });
  assert.ok(id);
  await assert.rejects(
    groups.change(caller, groupId, { localSetupScript: 'await 1;' }),
    refused('localSetupScript', /^would leave 1 check in this group .*"Cart": no runtime of this server is CURRENT/),
  );
  await groups.change(caller, groupId, { localSetupScript: 'await 1;', runtimeId: '2026.04' });
  await assert.rejects(
    groups.change(caller, groupId, { runtimeId: null }),
    refused('runtimeId', /^would leave 1 check in this group/),
  );
});

test('a group is not removed where its checks would have no runtime for their scripts without it', async (newStore) => {
  await using temp = await newStore();
  const { checks, groups, accounts, groupId, add } = await fixture(temp, [bare]);
  await groups.change(caller, groupId, { runtimeId: '2026.04' });
  const settings = hooked;
  const cart = await add('API', { name: 'Cart', groupId, settings });
  const own = await add('API', { groupId, settings, runtimeId: '2026.04' });
  await add('API', { groupId });
  await assert.rejects(
    groups.remove(caller, groupId),
    refused(
      'runtimeId',
      /^would leave 1 check in this group without a runtime .*"Cart": no runtime of this server is CURRENT.*: first set runtimeId on these checks$/,
    ),
  );
  // Nothing of it has gone.
  assert.equal((await checks.find(caller, cart.id)).groupId, groupId);
  // What its checks inherit then will do as well.
  await accounts.change(caller, 'me', { runtimeId: '2026.04' });
  await groups.remove(caller, groupId);
  for (const { id } of [cart, own]) assert.equal((await checks.find(caller, id)).groupId, null);
  await assert.rejects(
    groups.remove(caller, groupId),
    (error: unknown) => error instanceof Refusal && error.code === 'not-found',
  );
});

onSqlite(
  'checks are not moved out of the group or into one whose runtime cannot run their scripts',
  async (newStore) => {
    await using temp = await newStore();
    const { checks, groups, groupId, add } = await fixture(temp, [bare]);
    await groups.change(caller, groupId, { runtimeId: '2026.04' });
    const cart = await add('API', { name: 'Cart', groupId, settings: hooked });
    const own = await add('API', { groupId, settings: hooked, runtimeId: '2026.04' });
    const plainCheck = await add('API', {});
    const move = (id: number, change: { readonly add?: readonly string[]; readonly remove?: readonly string[] }) =>
      groups.changeChecks(caller, id, { add: [], remove: [], ...change });
    await assert.rejects(
      move(groupId, { remove: [cart.id, own.id] }),
      refused('remove', /^would leave 1 check in this list without a runtime .*"Cart": no runtime of this server/),
    );
    const { accountId: _a, id: _i, createdAt: _c, updatedAt: _u, ...group } = aGroup(ownId);
    const other = await groups.create(caller, { ...group, alertChannelSubscriptions: [] }, false);
    await assert.rejects(move(other.id, { add: [cart.id] }), refused('add', /^would leave 1 check in this list/));
    assert.equal((await checks.find(caller, cart.id)).groupId, groupId);
    assert.deepEqual(await move(other.id, { add: [own.id, plainCheck.id] }), { added: 2, removed: 0 });
  },
);

onSqlite('a group whose scripts alone need a runtime is removed with them', async (newStore) => {
  await using temp = await newStore();
  const { groups, groupId, add } = await fixture(temp, [bare]);
  await add('API', { groupId });
  await groups.change(caller, groupId, { localSetupScript: 'await 1;', runtimeId: '2026.04' });
  await groups.remove(caller, groupId);
});

onSqlite(
  'an account is not given a runtime that would leave its checks without one for their scripts',
  async (newStore) => {
    await using temp = await newStore();
    const { accounts, groups, groupId, add } = await fixture(temp);
    await groups.change(caller, groupId, { runtimeId: '2026.10' });
    await add('MULTI_STEP', { groupId, settings: script });
    await add('API', { settings: hooked });
    assert.equal((await accounts.change(caller, 'me', { runtimeId: '2026.04' })).runtimeId, '2026.04');
    await accounts.change(caller, 'me', { runtimeId: null });
    await add('MULTI_STEP', { name: 'Order', settings: script });
    await add('BROWSER', { name: 'Page', settings: script });
    await assert.rejects(
      accounts.change(caller, 'me', { runtimeId: '2026.04' }),
      refused('runtimeId', /^would leave 2 checks of this account without a runtime .*"(Order|Page)": /),
    );
  },
);

onSqlite(
  'a check with a script around its request needs a runtime, its own, its group’s, its account’s or the CURRENT one',
  async (newStore) => {
    await using temp = await newStore();
    const { checks, accounts, groups, groupId, add } = await fixture(temp, [bare, ending]);
    const settings = hooked;
    const none = refused('runtimeId', /^no runtime of this server is CURRENT/);
    await assert.rejects(add('API', { settings }), none);
    const own = await add('API', { settings, runtimeId: '2026.04' });
    await assert.rejects(checks.change(caller, own.id, { runtimeId: null }, { checkType: 'API' }), none);
    const plainOne = await add('API');
    await assert.rejects(checks.change(caller, plainOne.id, { settings }, { checkType: 'API' }), none);
    await groups.change(caller, groupId, { runtimeId: '2026.04' });
    assert.equal((await add('API', { settings, groupId })).runtimeWarning, null);
    await accounts.change(caller, 'me', { runtimeId: '2026.04' });
    assert.equal((await add('API', { settings })).runtimeWarning, null);
    // Of a check without scripts there is nothing to be known.
    assert.equal((await add('API')).runtimeWarning, undefined);
    await assert.rejects(
      add('API', { settings, runtimeId: '2025.04' }),
      refused('runtimeId', /must be one of 2026\.04/),
    );
    const { rows } = await checks.list(caller, {}, { limit: 100, offset: 0 });
    assert.deepEqual(rows.map(({ runtimeWarning }) => runtimeWarning === null).filter(Boolean).length, 3);
  },
);

test('from the end of its runtime on a check is saved with runtimeFallback only', async (newStore) => {
  await using temp = await newStore();
  const endsAt = Date.UTC(2030, 0, 1);
  const aging: Runtime = { ...current, name: '2025.10', stage: 'DEPRECATED', runtimeEndOfLife: '01/01/2030' };
  const { checks, groups, groupId, add, accounts } = await fixture(temp, [current, aging]);
  temp.clock.advance(endsAt - 1 - temp.clock.now());
  const firm = await add('MULTI_STEP', { settings: script, runtimeId: '2025.10' });
  const flexible = await add('MULTI_STEP', { settings: script, runtimeId: '2025.10', runtimeFallback: true });
  const bystander = await add('URL', { runtimeId: '2025.10' });
  await groups.change(caller, groupId, { runtimeId: '2025.10' });
  await accounts.change(caller, 'me', { runtimeId: '2025.10' });
  temp.clock.advance(1);
  // What was saved before and is sent back as it is, as clients that keep checks in a file do.
  const back = { name: 'Back', runtimeId: '2025.10', settings: script };
  await assert.rejects(
    checks.change(caller, firm.id, back, { checkType: 'MULTI_STEP' }),
    refused('runtimeId', /^runtime 2025\.10 is not available on this server/),
  );
  const kept = await checks.change(
    caller,
    flexible.id,
    { ...back, runtimeFallback: true },
    { checkType: 'MULTI_STEP' },
  );
  assert.deepEqual(
    [kept.name, kept.runtimeId, kept.runtimeWarning],
    ['Back', '2025.10', 'runtime 2025.10 is not available; 2026.10 is used instead'],
  );
  assert.equal(
    (await checks.change(caller, firm.id, { runtimeFallback: true }, { checkType: 'MULTI_STEP' })).runtimeFallback,
    true,
  );
  await assert.rejects(
    checks.change(caller, flexible.id, { runtimeFallback: false }, { checkType: 'MULTI_STEP' }),
    refused('runtimeId', /^runtime 2025\.10 is not available/),
  );
  // Those without scripts need none, and a group or an account keeps the name that it has.
  assert.equal(
    (await checks.change(caller, bystander.id, { runtimeId: '2025.10' }, { checkType: 'URL' })).runtimeId,
    '2025.10',
  );
  assert.equal((await groups.change(caller, groupId, { name: 'Back', runtimeId: '2025.10' })).runtimeId, '2025.10');
  assert.equal((await accounts.change(caller, 'me', { runtimeId: '2025.10' })).runtimeId, '2025.10');
  // A new one may name it with runtimeFallback, and nobody a runtime that never was.
  const wanted = { settings: script, runtimeId: '2025.10' };
  await assert.rejects(add('MULTI_STEP', wanted), refused('runtimeId', /must be one of 2026\.10, or null/));
  assert.equal((await add('MULTI_STEP', { ...wanted, runtimeFallback: true })).runtimeId, '2025.10');
  const never = { settings: script, runtimeId: '2019.01', runtimeFallback: true };
  await assert.rejects(add('MULTI_STEP', never), refused('runtimeId', /must be one of 2026\.10, or null/));
  await assert.rejects(
    groups.change(caller, groupId, { runtimeId: '2019.01' }),
    refused('runtimeId', /must be one of/),
  );
});

onSqlite('a multi-step check is not saved with a runtime that does not support it', async (newStore) => {
  await using temp = await newStore();
  const { checks, add } = await fixture(temp);
  const no = refused('runtimeId', /2026\.04 does not support multi-step checks/);
  await assert.rejects(add('MULTI_STEP', { settings: script, runtimeId: '2026.04' }), no);
  const { id } = await add('MULTI_STEP', { settings: script });
  await assert.rejects(checks.change(caller, id, { runtimeId: '2026.04' }, { checkType: 'MULTI_STEP' }), no);
});

onSqlite(
  'a check keeps a run location whose last runner has gone, and is given none that nobody serves',
  async (newStore) => {
    await using temp = await newStore();
    const codes = ['local', 'cellar'];
    const { checks, add } = await fixture(temp, [current], codes);
    const { id } = await add('URL', { locations: ['local', 'cellar'] });
    codes.pop();
    const kept = await checks.change(
      caller,
      id,
      { name: 'Back', locations: ['local', 'cellar'] },
      { checkType: 'URL' },
    );
    assert.deepEqual([kept.name, kept.locations], ['Back', ['local', 'cellar']]);
    const change = { locations: ['cellar', 'attic'] };
    await assert.rejects(
      checks.change(caller, id, change, { checkType: 'URL' }),
      refused('locations[1]', /^must be one of local$/),
    );
  },
);
