// Deployments on both engines: one transaction, what others changed meanwhile, processes that end, and removed checks.
import assert from 'node:assert/strict';
import { deploymentsKept } from '#domain/projects/deployment.ts';
import { type ResourceType, resourceTypes } from '#domain/projects/resource.ts';
import type { Check } from '#domain/checks/check.ts';
import { newId } from '#lib/id.ts';
import type { DeploymentPlan } from '#store/projects/apply.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import { aChannel, aCheck, aGroup } from '../support/store/records.ts';
import { aStatusPage, aStatusService } from '../support/store/status-pages.ts';
import type { TempStore } from '../support/store/temp-store.ts';

const none = Object.fromEntries(resourceTypes.map((type) => [type, []])) as unknown as Readonly<
  Record<ResourceType, readonly []>
>;

/** A project of one group, one channel and some checks, and how they are applied. */
async function opened({ store, clock }: TempStore) {
  const accountId = newId();
  const { projects } = store;
  const project = {
    accountId,
    id: newId(),
    logicalId: 'shop',
    name: 'Shop',
    repoUrl: null,
    source: 'files',
    createdAt: clock.now(),
    updatedAt: null,
  } as const;
  const begin = async (id = newId()) => {
    const begun = await projects.deployments.begin(accountId, 'shop', id);
    return { id, begun };
  };
  const group = aGroup(accountId, { id: await projects.reserve(accountId, 'check-group', 1, false), name: 'Web' });
  const channel = aChannel(accountId, { id: await projects.reserve(accountId, 'alert-channel', 1, false) });
  const subscriptions = [{ alertChannelId: channel.id, activated: true, escalationMinutes: 0 }];
  const checks = ['one', 'three', 'two'].map((name) => aCheck(accountId, { name, groupId: group.id, tags: [name] }));
  const apart = { subscriptions: [], isAutoAssigned: false };
  const base = { project, projectId: project.id, removed: none, diff: [], changeId: newId() };
  const owned = checks.map(({ id, name }) => ({
    type: 'check' as const,
    logicalId: name,
    physicalId: id,
    isSubscribing: true,
    retiredAt: null,
  }));
  const created: DeploymentPlan = {
    ...base,
    owned,
    writes: {
      ...none,
      'alert-channel': [{ logicalId: 'ops', physicalId: String(channel.id), stored: null, write: channel }],
      'check-group': [{ logicalId: 'web', physicalId: String(group.id), stored: null, write: { group, ...apart } }],
      check: checks.map((check) => ({
        logicalId: check.name,
        physicalId: check.id,
        stored: null,
        write: { check, subscriptions, isAutoAssigned: false, variables: ['TOKEN'] },
      })),
    },
  };
  const present = async () => (await projects.present(accountId, { ...none, check: checks.map(({ id }) => id) })).check;
  return { accountId, projects, begin, created, base, owned, checks, channel, present };
}

test('a plan is applied as a whole: rows, tags, subscriptions, schedules and what the project owns', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const { accountId, projects, begin, created, base, owned, checks, channel, present } = await opened(temp);
  const { id } = await begin();
  assert.equal(await projects.apply(accountId, id, created), 'applied');
  const seen = await projects.deployments.find(accountId, 'shop', id);
  assert.deepEqual([seen?.status, seen?.progress.step], ['SUCCEEDED', 'done']);
  const stored = await store.checks.list(accountId, { tags: ['two'] }, { limit: 10, offset: 0 });
  assert.deepEqual(
    stored.rows.map(({ check, subscriptions, notifiesNobody }) => [check.name, subscriptions, notifiesNobody]),
    [['two', [{ alertChannelId: channel.id, activated: true, escalationMinutes: 0 }], false]],
  );
  assert.deepEqual(
    (await store.checkVariables.missing(accountId)).map(({ name, checks: count }) => [name, count]),
    [['TOKEN', 3]],
  );
  const byName = (await projects.owned(accountId, base.projectId)).toSorted((a, b) =>
    a.logicalId.localeCompare(b.logicalId),
  );
  assert.deepEqual(byName, owned);
  assert.equal(await projects.ownerOf(accountId, 'check', checks[0]?.id ?? ''), 'shop');
  const ids = { ...none, check: checks.map(({ id }) => id), 'alert-channel': [String(channel.id)] };
  const bytes = await projects.bytes(accountId, ids);
  assert.ok(bytes > 100 && bytes < 10_000, `${bytes} bytes`);
  assert.equal(await projects.bytes(newId(), ids), 0, 'of another account');

  const before = await present();
  const change = (name: string, activated = true) =>
    checks.map((check) => ({
      logicalId: check.name,
      physicalId: check.id,
      stored: before.get(check.id) ?? null,
      write: { check: { ...check, name, activated, tags: [name] }, subscriptions: [], isAutoAssigned: false },
    }));
  await store.checks.change(accountId, checks[2]?.id ?? '', ({ check }) => ({
    check: { ...check, frequency: 30 },
    subscriptions: null,
    isAutoAssigned: false,
  }));
  const second = await begin();
  const stale = { ...base, owned, writes: { ...none, check: change('stale') } };
  assert.equal(await projects.apply(accountId, second.id, stale), 'changed');
  assert.deepEqual([...(await present()).values()].map(({ check }) => check.name).sort(), ['one', 'three', 'two']);
});

test('a fault undoes everything, and names the resource', async (newStore) => {
  await using temp = await newStore();
  const { accountId, projects, begin, created, present } = await opened(temp);
  const { id } = await begin();
  const [one, ...others] = created.writes.check;
  assert.ok(one);
  const subscriptions = [{ alertChannelId: 999, activated: true }];
  const broken = { ...one, write: { ...one.write, subscriptions } };
  const plan = { ...created, writes: { ...created.writes, check: [...others, broken] } };
  const outcome = await projects.apply(accountId, id, plan);
  assert.ok(typeof outcome === 'object');
  assert.deepEqual(
    [outcome.type, outcome.logicalId, outcome.path],
    ['check', 'one', 'alertChannelSubscriptions[0].alertChannelId'],
  );
  assert.deepEqual([(await present()).size, await projects.find(accountId, 'shop')], [0, null]);
});

test('a deployment whose process ended has failed, and the next one goes on; the oldest are forgotten', async (newStore) => {
  await using temp = await newStore();
  const { accountId, projects, begin, created } = await opened(temp);
  const first = await begin();
  const busy = await begin();
  assert.deepEqual(busy.begun, { busy: first.id });
  temp.clock.advance(-3_600_000);
  const early = await projects.deployments.find(accountId, 'shop', first.id);
  assert.equal(early?.status, 'FAILED', 'a clock that was set back does not keep it');
  temp.clock.advance(3_600_000 + 31_000);
  const seen = await projects.deployments.find(accountId, 'shop', first.id);
  assert.deepEqual([seen?.status, seen?.endedAt !== null], ['FAILED', true]);
  const next = await begin();
  assert.ok(typeof next.begun === 'object' && 'begun' in next.begun);
  assert.equal(
    await projects.apply(accountId, first.id, created),
    'ended',
    'a process that was only slow applies nothing',
  );
  assert.equal(await projects.apply(accountId, next.id, created), 'applied');
  for (let count = 0; count < deploymentsKept + 2; count++) {
    temp.clock.advance(1000);
    const { id } = await begin();
    await projects.deployments.fail(accountId, id, { message: 'no' });
  }
  assert.equal(await projects.deployments.find(accountId, 'shop', next.id), null);
});

test('a deployment that is cancelled changes nothing, also if it is applied at the same time', async (newStore) => {
  await using temp = await newStore();
  const { accountId, projects, begin, created, present } = await opened(temp);
  const first = await begin();
  await projects.deployments.cancel(newId(), 'shop', first.id);
  assert.equal((await projects.deployments.find(accountId, 'shop', first.id))?.endedAt, null, 'of another account');
  await projects.deployments.cancel(accountId, 'shop', first.id);
  assert.equal(await projects.apply(accountId, first.id, created), 'ended');
  assert.deepEqual([(await present()).size, await projects.find(accountId, 'shop')], [0, null]);

  const second = await begin();
  const [applied] = await Promise.all([
    projects.apply(accountId, second.id, created),
    projects.deployments.cancel(accountId, 'shop', second.id),
  ]);
  const status = (await projects.deployments.find(accountId, 'shop', second.id))?.status;
  const outcome = [applied, (await present()).size];
  assert.deepEqual(outcome, status === 'CANCELLED' ? ['ended', 0] : ['applied', 3], status);
});

test('removed checks stop at once, and the deployment ends when they are deleted', async (newStore) => {
  await using temp = await newStore();
  const { accountId, projects, begin, created, base, present } = await opened(temp);
  await projects.apply(accountId, (await begin()).id, created);
  const before = await present();
  const { id } = await begin();
  const check = [...before].map(([physicalId, stored]) => ({ physicalId, stored }));
  assert.equal(
    await projects.apply(accountId, id, {
      ...base,
      project: null,
      owned: [],
      writes: none,
      removed: { ...none, check },
    }),
    'applied',
  );
  assert.deepEqual(
    [...(await present()).values()].map((stored) => stored.check.activated),
    [false, false, false],
  );
  await projects.deployments.cancel(accountId, 'shop', id);
  const running = await projects.deployments.find(accountId, 'shop', id);
  assert.deepEqual([running?.status, running?.progress], ['RUNNING', { step: 'deleting', done: 0, total: 3 }]);
  temp.clock.advance(60_000);
  assert.equal(
    (await projects.deployments.find(accountId, 'shop', id))?.status,
    'RUNNING',
    'the deletion goes on without the process',
  );
  const [change] = await temp.store.checkChanges.claim({ owner: 'x', now: temp.clock.now(), leaseMs: 1000 }, 1);
  assert.ok(change);
  await temp.store.checkChanges.abandon(change);
  assert.equal((await projects.deployments.find(accountId, 'shop', id))?.status, 'SUCCEEDED');
});

onSqlite(
  'checks and groups of a deployment may need each other, but not in a circle, and long chains take no longer',
  async (newStore) => {
    await using temp = await newStore();
    const { accountId, projects, begin, created } = await opened(temp);
    const [declared] = created.writes['check-group'];
    assert.ok(declared);
    const { logicalId, physicalId, write: web } = declared;
    const apart = { subscriptions: [], isAutoAssigned: false };
    const chain: Check[] = [];
    for (let number = 0; number < 2000; number++) {
      const dependsOn = chain.slice(-1).map(({ id }) => id);
      chain.push(aCheck(accountId, { name: `link ${number}`, dependsOn }));
    }
    const [first, last] = [chain[0] as Check, chain.at(-1) as Check];
    const member = aCheck(accountId, { name: 'member', groupId: Number(physicalId) });
    const planOf = (checks: readonly Check[], needs: string): DeploymentPlan => ({
      ...created,
      writes: {
        ...none,
        'check-group': [{ ...declared, write: { ...web, ...apart, group: { ...web.group, dependsOn: [needs] } } }],
        check: checks.map((check) => ({
          logicalId: check.name,
          physicalId: check.id,
          stored: null,
          write: { check, ...apart, variables: [] },
        })),
      },
    });
    const faultOf = async (plan: DeploymentPlan): Promise<unknown> => {
      const { id } = await begin();
      const outcome = await projects.apply(accountId, id, plan);
      await projects.deployments.fail(accountId, id, { message: 'refused' });
      return typeof outcome === 'object' ? [outcome.type, outcome.logicalId, outcome.path, outcome.message] : outcome;
    };
    const closed = [{ ...first, dependsOn: [member.id] }, ...chain.slice(1), member];
    const circle = (await faultOf(planOf(closed, last.id))) as string[];
    assert.deepEqual(circle.slice(0, 3), ['check', 'link 0', 'dependsOn']);
    assert.match(circle[3] ?? '', /^forms a cycle: link 0 → member → link 1999 → .* → … → link 0$/);
    assert.deepEqual(await faultOf(planOf([member], newId())), [
      'check-group',
      logicalId,
      'dependsOn[0]',
      'names something that does not exist in this account',
    ]);
    const startedAt = performance.now();
    assert.equal(await faultOf(planOf([...chain, member], last.id)), 'applied');
    // Walking along the chain from each of its checks takes half a minute.
    assert.ok(performance.now() - startedAt < 10_000);
  },
);

test('pages and their services are written, read with their images and removed, and a taken address undoes all', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const { accountId, projects, begin, base } = await opened(temp);
  const content = new Uint8Array(40_000);
  const [service, page] = [aStatusService(accountId), aStatusPage(accountId, { url: 'shop' })];
  const ids = { ...none, 'status-service': [service.id], 'status-page': [page.id] };
  const apply = async (plan: Partial<DeploymentPlan>) => {
    const { id } = await begin();
    const outcome = await projects.apply(accountId, id, { ...base, owned: [], writes: none, ...plan });
    if (outcome !== 'applied') await projects.deployments.fail(accountId, id, { message: 'no' });
    return outcome;
  };
  const present = () => projects.present(accountId, ids);
  const written = async (url: string): Promise<DeploymentPlan['writes']> => {
    const [stored, { id: physicalId }] = [(await present())['status-page'].get(page.id) ?? null, page];
    const images = { logo: { mediaType: 'image/png', content }, favicon: null };
    const services = stored === null ? [{ logicalId: 's', physicalId: service.id, stored: null, write: service }] : [];
    const pages = [{ logicalId: 'p', physicalId, stored, write: { page: { ...page, url }, images } }];
    return { ...none, 'status-service': services, 'status-page': pages };
  };
  assert.equal(await apply({ writes: await written('shop') }), 'applied');
  const found = (await present())['status-page'].get(page.id);
  assert.deepEqual([found?.page.url, found?.images.logo?.content.length], ['shop', 40_000]);
  const bytes = await projects.bytes(accountId, ids);
  assert.ok(bytes > 40_000 && bytes < 45_000, `${bytes} bytes`);
  assert.equal((await projects.present(newId(), ids))['status-page'].size, 0, 'of another account');

  const other = newId();
  await store.statusPages.add(aStatusPage(other, { url: 'theirs' }), {});
  const outcome = await apply({ writes: await written('theirs') });
  assert.ok(typeof outcome === 'object');
  assert.deepEqual([outcome.type, outcome.logicalId, outcome.path], ['status-page', 'p', 'url']);
  assert.equal((await store.statusPages.find(accountId, page.id))?.url, 'shop');

  const stored = await present();
  const removed = {
    ...none,
    'status-service': [...stored['status-service']].map(([physicalId, one]) => ({ physicalId, stored: one })),
    'status-page': [...stored['status-page']].map(([physicalId, one]) => ({ physicalId, stored: one })),
  };
  assert.equal(await apply({ removed }), 'applied');
  assert.deepEqual([...(await present())['status-page'].keys(), ...(await present())['status-service'].keys()], []);
  assert.equal(await apply({ writes: await written('shop') }), 'applied', 'its address is free again');
});

test('pages swap their addresses in one deployment, and a page takes that of one that is removed', async (newStore) => {
  await using temp = await newStore();
  const { statusPages } = temp.store;
  const { accountId, projects, begin, base } = await opened(temp);
  const [one, two, three] = ['one', 'two', 'three'].map((url) => aStatusPage(accountId, { url }));
  assert.ok(one && two && three);
  for (const page of [one, two]) await statusPages.add(page, {});
  const ids = { ...none, 'status-page': [one.id, two.id] };
  const apply = async (urls: Readonly<Record<string, string>>, removedIds: readonly string[]) => {
    const stored = (await projects.present(accountId, ids))['status-page'];
    const written = [one, two, three].filter(({ id }) => urls[id] !== undefined);
    const pages = written.map((page) => ({
      logicalId: page.name,
      physicalId: page.id,
      stored: stored.get(page.id) ?? null,
      write: { page: { ...page, url: urls[page.id] ?? '' }, images: {} },
    }));
    const gone = [...stored].filter(([id]) => removedIds.includes(id));
    return projects.apply(accountId, (await begin()).id, {
      ...base,
      owned: [],
      writes: { ...none, 'status-page': pages },
      removed: { ...none, 'status-page': gone.map(([physicalId, record]) => ({ physicalId, stored: record })) },
    });
  };
  assert.equal(await apply({ [one.id]: 'two', [two.id]: 'one' }, []), 'applied');
  assert.equal(await apply({ [three.id]: 'one' }, [two.id]), 'applied');
  const all = await statusPages.all(accountId);
  assert.deepEqual(Object.fromEntries(all.map(({ id, url }) => [url, id])), { two: one.id, one: three.id });
});
