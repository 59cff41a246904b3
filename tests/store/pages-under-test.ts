// Processes that build status pages, over the path of one account.
import assert from 'node:assert/strict';
import { createPublishAccount } from '#actions/status-pages/page-snapshots.ts';
import type { PageSnapshot, PublicService } from '#domain/status-pages/page-snapshot.ts';
import type { StatusPage } from '#domain/status-pages/status-page.ts';
import { newId } from '#lib/id.ts';
import type { NewPage } from '#store/status-pages/status-pages.ts';
import { createPublishPages } from '#upkeep/publish-pages.ts';
import type { NewStore } from '../support/store/each-engine.ts';
import { aStatusPage } from '../support/store/status-pages.ts';
import { PathUnderTest } from './path-under-test.ts';

/** The path, and processes that build pages. */
export class PagesUnderTest implements AsyncDisposable {
  readonly path: PathUnderTest;
  readonly failed: string[] = [];
  built: string[] = [];

  private constructor(path: PathUnderTest) {
    this.path = path;
  }

  static async open(newStore: NewStore, at?: number): Promise<PagesUnderTest> {
    return new PagesUnderTest(await PathUnderTest.open(newStore, at));
  }

  get store() {
    return this.path.temp.store;
  }

  /** The tick of a process. */
  process(owner = 'one'): () => Promise<number> {
    const { store, clock } = this.path.temp;
    const sendsMail = (): boolean => true;
    const publish = createPublishAccount({ store, targetOf: () => null, sendsMail, serverTimeZone: 'UTC', clock });
    return createPublishPages({
      store: store.statusSnapshots,
      publish: (accountId) => {
        this.built.push(`${owner} ${accountId === this.path.accountId ? 'own' : 'other'}`);
        return publish(accountId);
      },
      owner,
      clock,
      onError: (_, error) => this.failed.push(String(error)),
    });
  }

  async page(fields: Partial<NewPage>): Promise<StatusPage> {
    const page = await this.store.statusPages.add(aStatusPage(this.path.accountId, fields), {});
    assert.ok('id' in page);
    return page;
  }

  /** A page with a card of these services. */
  pageOf(...serviceIds: readonly string[]): Promise<StatusPage> {
    return this.page({ cards: [{ id: newId(), name: 'Shop', serviceIds }] });
  }

  async snapshot(page: StatusPage): Promise<PageSnapshot> {
    assert.deepEqual(this.failed, []);
    const snapshot = await this.store.statusSnapshots.snapshot(this.path.accountId, page.id);
    return snapshot ?? assert.fail('nothing was built');
  }

  async services(page: StatusPage): Promise<PublicService[]> {
    return (await this.snapshot(page)).cards.flatMap(({ services }) => services);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.path[Symbol.asyncDispose]();
  }
}
