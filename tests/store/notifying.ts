// The loops that build status pages and notify of their changes, over one page of one account.
import assert from 'node:assert/strict';
import { createNotifyChanges } from '#actions/status-pages/notify-changes.ts';
import { createSubscriptionLinks } from '#actions/status-pages/subscription-links.ts';
import { channelRules } from '#channels/rules.ts';
import type { PageNews } from '#domain/deliveries/page-news.ts';
import type { StatusPage } from '#domain/status-pages/status-page.ts';
import { newId } from '#lib/id.ts';
import { parsed } from '#store/base/codec.ts';
import type { NewIncident } from '#store/status-pages/status-incidents.ts';
import type { NewStore } from '../support/store/each-engine.ts';
import { aStatusIncident, aStatusService } from '../support/store/status-pages.ts';
import { PagesUnderTest } from './pages-under-test.ts';

const links = createSubscriptionLinks({ publicUrl: () => 'https://tocsin.example', secret: new Uint8Array(32) });

/** A page with a service, the loop that publishes it, and the loop that notifies. */
export class Notifying implements AsyncDisposable {
  readonly pages: PagesUnderTest;
  readonly publish: () => Promise<number>;
  readonly notify: () => Promise<number>;
  serviceId = '';
  page!: StatusPage;

  constructor(pages: PagesUnderTest) {
    this.pages = pages;
    this.publish = pages.process();
    this.notify = this.process();
  }

  static async open(newStore: NewStore, at?: number): Promise<Notifying> {
    const own = new Notifying(await PagesUnderTest.open(newStore, at));
    own.serviceId = (await own.store.statusServices.add(aStatusService(own.accountId))).id;
    own.page = await own.pages.pageOf(own.serviceId);
    return own;
  }

  get store() {
    return this.pages.store;
  }

  get accountId(): string {
    return this.pages.path.accountId;
  }

  get now(): number {
    return this.pages.path.now;
  }

  process(): () => Promise<number> {
    const tick = createNotifyChanges({
      ...this.store,
      links,
      addressOf: ({ url }) => `https://tocsin.example/status/${url}/`,
      refusesNews: channelRules.refusesNews,
      sendsMail: () => true,
      clock: this.pages.path.temp.clock,
      onHandedOver: () => {},
      onError: (_, error) => assert.fail(String(error)),
    });
    return tick;
  }

  async subscribe(email: string, serviceIds: readonly string[] | null = null): Promise<void> {
    const page = { accountId: this.accountId, pageId: this.page.id };
    await this.store.statusSubscribers.add(page, [{ email, serviceIds }], true);
  }

  incident(fields: Partial<NewIncident> = {}) {
    const update = { id: newId(), status: 'INVESTIGATING', notifySubscribers: true } as const;
    const updates = [{ ...update, description: 'We look.', publicAt: this.now, createdAt: this.now }];
    const incident = { serviceIds: [this.serviceId], startedAt: this.now, updates, ...fields };
    return this.store.statusIncidents.add(aStatusIncident(this.accountId, incident));
  }

  addUpdate(incidentId: string, fields: object = {}) {
    const update = { id: newId(), status: 'MONITORING', notifySubscribers: true, description: 'Fixed.' } as const;
    const times = { publicAt: this.now, createdAt: this.now };
    return this.store.statusIncidents.saveUpdate(this.accountId, incidentId, { ...update, ...times, ...fields });
  }

  setDraft(incidentId: string) {
    return this.store.statusIncidents.change(this.accountId, incidentId, (present) => ({ ...present, isDraft: true }));
  }

  /** Time passes; pages are built and changes are handed over until nothing is left to do. */
  async pass(ms: number): Promise<void> {
    this.pages.path.temp.clock.advance(ms);
    await this.publish();
    for (let round = 0; round < 30 && (await this.notify()) < 100; round++);
  }

  /** Messages that were not asked for yet: recipient, and what each says. */
  read(): (readonly [to: string | number, ...says: string[]])[] {
    const rows = this.pages.path.temp.raw
      .prepare(
        `SELECT d.alert_channel_id AS channel, c.content AS content FROM deliveries d JOIN delivery_contents c
         ON c.account_id = d.account_id AND c.delivery_id = d.id WHERE d.status = 0 ORDER BY d.id`,
      )
      .all();
    this.pages.path.temp.raw.exec('UPDATE deliveries SET status = 1, next_attempt_at = NULL WHERE status = 0');
    return rows.map((row) => {
      const news = parsed<{ news: PageNews }>(String(row['content'])).news;
      const says = news.items.map((item) => (item.kind === 'update' ? item.update.description : item.event));
      return [news.subscriber?.email ?? Number(row['channel']), ...says] as const;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pages[Symbol.asyncDispose]();
  }
}
