// Subscribers of status pages: no subscription without consent, no flood of emails, and bounded lists.
import assert from 'node:assert/strict';
import { confirmableMs, mailRetriesMs, pacePerAddress } from '#domain/status-pages/status-subscriber.ts';
import type { StatusSubscriber } from '#domain/status-pages/status-subscriber.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import type { PageKey } from '#store/status-pages/status-subscribers.ts';
import { test } from '../support/store/each-engine.ts';
import { insertRow, putAccount } from '../support/store/rows.ts';
import { aStatusPage } from '../support/store/status-pages.ts';
import type { TempStore } from '../support/store/temp-store.ts';

const request = (email: string, serviceIds: readonly string[] | null = null) => ({ email, serviceIds });

async function addPage({ store }: Pick<TempStore, 'store'>, accountId: string): Promise<PageKey> {
  const page = aStatusPage(accountId);
  await store.statusPages.add(page, {});
  return { accountId, pageId: page.id };
}

const all = { after: null, limit: 100, services: null };

async function only({ store }: Pick<TempStore, 'store'>, page: PageKey): Promise<StatusSubscriber> {
  const { rows } = await store.statusSubscribers.list(page, null, 10, null);
  assert.equal(rows.length, 1);
  return rows[0] as StatusSubscriber;
}

test('a subscriber receives nothing until its address is confirmed, and each change of its services then', async (newStore) => {
  await using temp = await newStore();
  const { statusSubscribers: subscribers } = temp.store;
  const page = await addPage(temp, putAccount(temp.raw));
  const other = await addPage(temp, putAccount(temp.raw));
  const [shop, mail] = [newId(), newId()];
  assert.equal(await subscribers.request(page, request('one@example.com', [shop])), 'taken');
  assert.deepEqual((await subscribers.confirmed(page, all)).rows, []);
  const found = await only(temp, page);
  assert.equal(await subscribers.confirm({ ...found, accountId: other.accountId }), false);
  assert.equal(await subscribers.confirm(found), true);
  assert.equal(await subscribers.confirm(found), true);
  const receiving = async (services: readonly string[] | null) =>
    (await subscribers.confirmed(page, { ...all, services })).rows.map(({ email }) => email);
  assert.deepEqual(await receiving(null), ['one@example.com']);
  assert.deepEqual(await receiving([shop, mail]), ['one@example.com']);
  assert.deepEqual(await receiving([mail]), []);
  await subscribers.chooseServices(found, [mail]);
  assert.deepEqual(await receiving([mail]), ['one@example.com']);
  // A request of somebody else changes nothing.
  assert.equal(await subscribers.request(page, request('one@example.com', [shop])), 'taken');
  assert.deepEqual(await receiving([mail]), ['one@example.com']);
  assert.deepEqual((await subscribers.confirmed(other, all)).rows, []);
  assert.equal(await subscribers.remove({ ...found, accountId: other.accountId }), false);
  assert.equal(await subscribers.remove(found), true);
  assert.equal(await subscribers.remove(found), false);
  assert.equal(await subscribers.confirm(found), false);
});

test('confirmed subscribers are read in slices, each once, and others are left out', async (newStore) => {
  await using temp = await newStore();
  const { statusSubscribers: subscribers } = temp.store;
  const page = await addPage(temp, putAccount(temp.raw));
  const emails = Array.from({ length: 25 }, (_, index) => `reader-${String(index).padStart(2, '0')}@example.com`);
  assert.deepEqual(
    await subscribers.add(
      page,
      emails.map((email) => request(email)),
      true,
    ),
    {
      created: 25,
      skipped: 0,
    },
  );
  assert.deepEqual(await subscribers.add(page, [request('late@example.com')], false), { created: 1, skipped: 0 });
  const read: string[] = [];
  let slices = 0;
  for (let after: string | null = null, isThrough = false; !isThrough; slices++) {
    const { rows, last } = await subscribers.confirmed(page, { after, limit: 10, services: [newId()] });
    read.push(...rows.map(({ email }) => email));
    [after, isThrough] = [last, last === null];
  }
  assert.deepEqual(read, emails);
  assert.equal(slices, 3);
  const first = await subscribers.list(page, null, 20, null);
  const rest = await subscribers.list(page, first.last, 20, null);
  assert.deepEqual([first.rows.length, rest.rows.length, rest.last], [20, 6, null]);
  const found = await subscribers.list(page, null, 20, 'READER-2');
  assert.deepEqual(
    found.rows.map(({ email }) => email),
    emails.slice(20),
  );
});

test('adding an address again neither doubles nor unsubscribes it, and confirms it if the owner says so', async (newStore) => {
  await using temp = await newStore();
  const { statusSubscribers: subscribers, subscriptionMails: mails } = temp.store;
  const page = await addPage(temp, putAccount(temp.raw));
  await subscribers.add(page, [request('one@example.com'), request('one@example.com')], false);
  assert.deepEqual(await subscribers.add(page, [request('one@example.com')], false), { created: 0, skipped: 1 });
  assert.equal((await only(temp, page)).confirmedAt, null);
  assert.deepEqual(await subscribers.add(page, [request('one@example.com')], true), { created: 1, skipped: 0 });
  assert.equal((await only(temp, page)).confirmedAt, temp.clock.now());
  assert.equal(await mails.nextDue(), null);
  assert.equal(await subscribers.add({ ...page, pageId: newId() }, [request('one@example.com')], true), null);
});

test('an address gets three mails at once and then one per interval, from all pages together', async (newStore) => {
  await using temp = await newStore();
  const { statusSubscribers: subscribers, subscriptionMails: mails } = temp.store;
  const pages: PageKey[] = [];
  for (let count = 0; count < 6; count++) pages.push(await addPage(temp, putAccount(temp.raw)));
  for (const [index, page] of pages.entries()) await subscribers.request(page, request(`one+${index}@example.com`));
  const sent = async () => {
    const due = await mails.take(100);
    for (const row of due) await mails.sent(row);
    return due.length;
  };
  assert.equal(await sent(), 3);
  assert.equal(await sent(), 0);
  temp.clock.advance(pacePerAddress.intervalMs);
  assert.equal(await sent(), 1);
  temp.clock.advance(pacePerAddress.intervalMs);
  assert.equal(await sent(), 1);
});

test('a page has at most 2,000 readers who have not confirmed, and those of other pages do not count', async (newStore) => {
  await using temp = await newStore();
  const { statusSubscribers: subscribers } = temp.store;
  const accountId = putAccount(temp.raw);
  const [full, other] = [await addPage(temp, accountId), await addPage(temp, accountId)];
  for (let count = 0; count < 2000; count++) {
    insertRow(temp.raw, 'status_subscribers', {
      account_id: idBytes(accountId),
      page_id: idBytes(full.pageId),
      id: idBytes(newId()),
      email: `reader${count}@example.com`,
      requested_at: temp.clock.now(),
      mail_attempts: 0,
      created_at: temp.clock.now(),
    });
  }
  assert.equal(await subscribers.request(full, request('one@example.com')), 'full');
  assert.equal(await subscribers.request(other, request('one@example.com')), 'taken');
});

test('an account whose mails hang holds up two at a time, and nobody else', async (newStore) => {
  await using temp = await newStore();
  const { statusSubscribers: subscribers, subscriptionMails: mails } = temp.store;
  const [many, other] = [await addPage(temp, putAccount(temp.raw)), await addPage(temp, putAccount(temp.raw))];
  for (let count = 0; count < 9; count++) await subscribers.request(many, request(`many${count}@example.com`));
  temp.clock.advance(1);
  await subscribers.request(other, request('other@example.com'));
  const taken = (await mails.take(8)).map(({ accountId }) => accountId);
  assert.deepEqual(taken, [many.accountId, many.accountId, other.accountId]);
  assert.equal((await mails.take(8)).length, 2);
});

test('a mail is tried again until the server takes it, also if a process ends while sending it, and a few times at most', async (newStore) => {
  await using temp = await newStore();
  const { statusSubscribers: subscribers, subscriptionMails: mails } = temp.store;
  const page = await addPage(temp, putAccount(temp.raw));
  await subscribers.request(page, request('one@example.com'));
  const start = temp.clock.now();
  let attempts = 0;
  for (let due = await mails.nextDue(); due !== null; due = await mails.nextDue()) {
    temp.clock.advance(due - temp.clock.now());
    assert.equal((await mails.take(10)).length, 1);
    assert.equal((await mails.take(10)).length, 0);
    attempts++;
  }
  assert.equal(attempts, mailRetriesMs.length + 1);
  assert.ok(temp.clock.now() - start < confirmableMs);
  await subscribers.request(page, request('one@example.com'));
  const due = await mails.nextDue();
  temp.clock.advance((due ?? 0) - temp.clock.now());
  const [taken] = await mails.take(10);
  assert.ok(taken !== undefined);
  await mails.sent({ ...taken, requestedAt: 1 });
  assert.notEqual(await mails.nextDue(), null, 'a newer request is not answered by an older mail');
  await mails.sent(taken);
  assert.equal(await mails.nextDue(), null);
});

test('a subscriber that does not confirm within a day can no longer, and is deleted', async (newStore) => {
  await using temp = await newStore();
  const { statusSubscribers: subscribers, subscriptionMails: mails } = temp.store;
  const page = await addPage(temp, putAccount(temp.raw));
  await subscribers.request(page, request('one@example.com'));
  await subscribers.add(page, [request('two@example.com')], true);
  const [pending] = (await subscribers.list(page, null, 1, null)).rows;
  assert.ok(pending !== undefined);
  assert.equal(await mails.removeExpired(temp.clock.now()), 0);
  temp.clock.advance(confirmableMs);
  assert.equal(await subscribers.confirm(pending), false);
  assert.equal((await only(temp, page)).email, 'two@example.com');
  assert.ok((await mails.removeExpired(temp.clock.now())) > 0);
  assert.equal(await subscribers.find(pending), null);
  assert.equal((await only(temp, page)).email, 'two@example.com');
});

test('a page and an account take so many subscribers and no more, and say so also for those they know', async (newStore) => {
  await using temp = await newStore();
  const { statusSubscribers: subscribers, accounts } = temp.store;
  const page = await addPage(temp, putAccount(temp.raw));
  await accounts.change(page.accountId, { limits: { statusSubscribers: 2 } });
  await subscribers.add(page, [request('one@example.com')], true);
  assert.equal(await subscribers.request(page, request('two@example.com')), 'taken');
  assert.equal(await subscribers.request(page, request('three@example.com')), 'full');
  assert.equal(await subscribers.request(page, request('one@example.com')), 'full');
  assert.equal(await subscribers.request({ ...page, pageId: newId() }, request('one@example.com')), null);
});

test('the subscribers of a page are deleted with it', async (newStore) => {
  await using temp = await newStore();
  const { statusSubscribers: subscribers, statusPages } = temp.store;
  const accountId = putAccount(temp.raw);
  const [page, other] = [await addPage(temp, accountId), await addPage(temp, accountId)];
  for (const each of [page, other]) await subscribers.add(each, [request('one@example.com')], true);
  await statusPages.remove(accountId, page.pageId);
  assert.deepEqual((await subscribers.list(page, null, 10, null)).rows, []);
  assert.equal((await subscribers.list(other, null, 10, null)).rows.length, 1);
});

test('requests that would wait for half a day are dropped: silently for an address, with an answer for an account', async (newStore) => {
  await using temp = await newStore();
  const { statusSubscribers: subscribers } = temp.store;
  const pages: PageKey[] = [];
  for (let count = 0; count < 10; count++) pages.push(await addPage(temp, putAccount(temp.raw)));
  for (const page of pages) assert.equal(await subscribers.request(page, request('one@example.com')), 'taken');
  const stored = await Promise.all(
    pages.map(async (page) => (await subscribers.list(page, null, 10, null)).rows.length),
  );
  assert.deepEqual(stored, [1, 1, 1, 1, 1, 1, 1, 1, 1, 0]);
  const [page] = pages;
  assert.ok(page !== undefined);
  const freeAt = temp.clock.now() + confirmableMs;
  temp.raw.exec(`UPDATE status_mail_slots SET free_at = ${freeAt} WHERE key = 'account:${page.accountId}'`);
  assert.equal(await subscribers.request(page, request('two@example.com')), 'full');
  const slots = temp.raw
    .prepare(`SELECT free_at FROM status_mail_slots WHERE key LIKE 'address:%' ORDER BY free_at`)
    .all();
  assert.deepEqual(Number(slots[0]?.['free_at']), temp.clock.now(), 'the address has its slot back');
  assert.equal(await subscribers.add(page, [request('two@example.com')], false), 'busy');
  assert.deepEqual(await subscribers.add(page, [request('two@example.com')], true), { created: 1, skipped: 0 });
});
