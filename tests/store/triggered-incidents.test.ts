// Failures of checks open incidents of services on published pages, and recoveries resolve them (triggerIncident).
import assert from 'node:assert/strict';
import type { Check } from '#domain/checks/check.ts';
import type { IncidentTrigger } from '#domain/status-pages/status-incident.ts';
import { mostOfChecks } from '#domain/status-pages/propose-incidents.ts';
import type { StatusService } from '#domain/status-pages/status-service.ts';
import type { Outcome } from '#domain/results/result.ts';
import { type NewStore, onSqlite, test } from '../support/store/each-engine.ts';
import { aStatusIncident, aStatusService } from '../support/store/status-pages.ts';
import { PagesUnderTest } from './pages-under-test.ts';

class Triggered implements AsyncDisposable {
  readonly pages: PagesUnderTest;
  /** Without checks: only incidents tell its state. */
  readonly service: StatusService;
  private readonly ticks: readonly (() => Promise<number>)[];

  private constructor(pages: PagesUnderTest, service: StatusService) {
    this.pages = pages;
    this.service = service;
    this.ticks = [pages.process('one'), pages.process('two')];
  }

  static async open(newStore: NewStore): Promise<Triggered> {
    const pages = await PagesUnderTest.open(newStore);
    const service = await pages.store.statusServices.add(aStatusService(pages.path.accountId, { name: 'Checkout' }));
    return new Triggered(pages, service);
  }

  trigger(name: string, fields: Partial<IncidentTrigger> = {}): Pick<Check, 'triggerIncident'> {
    const texts = { name, description: `${name}. We are looking into it.` };
    const rest = { serviceId: this.service.id, severity: 'MINOR', notifySubscribers: false } as const;
    return { triggerIncident: { ...rest, ...texts, ...fields } };
  }

  /** Runs every check, with its outcome; then two processes build the pages. */
  async run(outcomeOf: (checkId: string) => Outcome): Promise<void> {
    const { path } = this.pages;
    path.temp.clock.advance(10_000);
    await path.schedule();
    await path.record((await path.claim()).map((run) => path.ended(run, outcomeOf(run.run.checkId))));
    await this.build();
  }

  async build(): Promise<void> {
    await Promise.all(this.ticks.map((tick) => tick()));
    assert.deepEqual(this.pages.failed, []);
  }

  /** Names of incidents with their updates, oldest first. */
  async incidents(): Promise<(readonly [name: string, updates: readonly string[]])[]> {
    const { store, path } = this.pages;
    const all = await store.statusIncidents.list(path.accountId, { isDraft: false }, null, 100);
    return all.map(({ name, updates }) => [name, updates.map(({ status }) => status)] as const).toReversed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pages[Symbol.asyncDispose]();
  }
}

onSqlite('a failing check publishes its incident once, and its recovery resolves it', async (newStore) => {
  await using triggered = await Triggered.open(newStore);
  const { pages, service } = triggered;
  const { store, path } = pages;
  const checkId = await path.check({ name: 'internal', ...triggered.trigger('Payments fail') });
  const page = await pages.pageOf(service.id);
  await triggered.run(() => 'passed');
  assert.deepEqual(await triggered.incidents(), []);
  await triggered.run(() => 'failed');
  const at = path.now;
  const [incident] = await store.statusIncidents.list(path.accountId, {}, null, 10);
  assert.ok(incident !== undefined);
  const { severity, serviceIds, proposedFor, isDraft, startedAt, updates } = incident;
  assert.deepEqual(
    { severity, serviceIds, proposedFor, isDraft, startedAt },
    { severity: 'MINOR', serviceIds: [service.id], proposedFor: checkId, isDraft: false, startedAt: at },
  );
  assert.deepEqual(
    updates.map(({ description, notifySubscribers }) => [description, notifySubscribers]),
    [['Payments fail. We are looking into it.', false]],
  );
  const shown = await pages.snapshot(page);
  assert.deepEqual([shown.state, shown.incidents.map(({ name }) => name)], ['degraded', ['Payments fail']]);
  assert.ok(!JSON.stringify(shown).includes(checkId) && !JSON.stringify(shown).includes('internal'));
  await triggered.run(() => 'failed');
  assert.deepEqual(await triggered.incidents(), [['Payments fail', ['INVESTIGATING']]], 'once');
  await triggered.run(() => 'passed');
  assert.deepEqual(await triggered.incidents(), [['Payments fail', ['INVESTIGATING', 'RESOLVED']]]);
  assert.equal((await pages.snapshot(page)).state, 'operational');
  await triggered.run(() => 'failed');
  const reopened = ['INVESTIGATING', 'RESOLVED', 'INVESTIGATING'];
  assert.deepEqual(await triggered.incidents(), [['Payments fail', reopened]], 'within ten minutes it continues');
});

test('each check opens an incident of its own, unless people have published one', async (newStore) => {
  await using triggered = await Triggered.open(newStore);
  const { pages, service } = triggered;
  const { store, path } = pages;
  const [one, two] = [
    await path.check(triggered.trigger('One fails')),
    await path.check(triggered.trigger('Two fails')),
  ];
  await pages.pageOf(service.id);
  await triggered.run((id) => (id === one ? 'failed' : 'passed'));
  await triggered.run(() => 'failed');
  await triggered.run((id) => (id === two ? 'failed' : 'passed'));
  const expected = [
    ['One fails', ['INVESTIGATING', 'RESOLVED']],
    ['Two fails', ['INVESTIGATING']],
  ] as const;
  assert.deepEqual(await triggered.incidents(), expected);
  await triggered.run(() => 'passed');
  const updates = (await store.statusIncidents.list(path.accountId, {}, null, 1))[0]?.updates ?? [];
  assert.equal(updates.at(-1)?.description, 'The problem is solved.', 'not that the service works: others may fail');
  const byHand = await store.statusIncidents.add(aStatusIncident(path.accountId, { serviceIds: [service.id] }));
  path.temp.clock.advance(600_000);
  await triggered.run(() => 'failed');
  assert.equal((await triggered.incidents()).length, 3, 'only that of the person is new');
  await store.statusIncidents.remove(path.accountId, byHand.id);
  await triggered.build();
  assert.equal((await triggered.incidents()).length, 4);
});

test('a check opens no incident while it is paused, or its service is on no published page', async (newStore) => {
  await using triggered = await Triggered.open(newStore);
  const { pages, service } = triggered;
  const { store, path } = pages;
  const { accountId } = path;
  const checkId = await path.check({ tags: ['quiet'], ...triggered.trigger('Payments fail') });
  const cards = [{ id: 'a0a0a0a0-0000-4000-8000-000000000001', name: 'Shop', serviceIds: [service.id] }];
  const page = await pages.page({ isPublished: false, cards });
  await triggered.run(() => 'failed');
  assert.deepEqual(await triggered.incidents(), [], 'the page is a draft');
  await store.checks.change(accountId, checkId, ({ check }) => ({
    check: { ...check, activated: false },
    subscriptions: null,
    isAutoAssigned: false,
    variables: [],
    mentioned: [],
  }));
  await store.statusPages.change(accountId, page.id, (present) => ({ ...present, isPublished: true }), {});
  await triggered.build();
  assert.deepEqual(await triggered.incidents(), [], 'the check is paused');
});

test(`a service has at most ${mostOfChecks} open incidents of checks`, async (newStore) => {
  await using triggered = await Triggered.open(newStore);
  const { pages, service } = triggered;
  for (let count = 0; count < mostOfChecks + 2; count++) await pages.path.check(triggered.trigger(`${count} fails`));
  await pages.pageOf(service.id);
  await triggered.run(() => 'failed');
  assert.equal((await triggered.incidents()).length, mostOfChecks);
});
