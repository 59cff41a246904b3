// Links of subscribers open what they were made for, and nothing else.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { confirmableMs } from '#domain/status-pages/status-subscriber.ts';
import { newId } from '#lib/id.ts';
import { createSubscriptionLinks } from './subscription-links.ts';

const publicUrl = () => 'https://tocsin.example';
const links = createSubscriptionLinks({ publicUrl, secret: randomBytes(32) });
const page = { url: 'example', customDomain: null };
const subscriber = { accountId: newId(), pageId: newId(), id: newId() };
const tokenOf = (link: string): string => link.slice(link.lastIndexOf('/') + 1);
const requestedAt = 1_700_000_000_000;

test('the link that ends a subscription never expires and begins with the address of the page', () => {
  const link = links.unsubscribe(page, subscriber);
  assert.match(link, /^https:\/\/tocsin\.example\/status\/example\/unsubscribe\/[\w-]+$/);
  assert.deepEqual(links.openUnsubscribe(tokenOf(link), requestedAt + 50 * 365 * 86_400_000), subscriber);
  const own = links.unsubscribe({ ...page, customDomain: 'status.example.com' }, subscriber);
  assert.equal(own, `https://status.example.com/unsubscribe/${tokenOf(link)}`);
});

test('the link that confirms an address expires a day after the request', () => {
  const token = tokenOf(links.confirm(page, { ...subscriber, requestedAt }));
  assert.deepEqual(links.openConfirm(token, requestedAt + confirmableMs - 1), subscriber);
  assert.equal(links.openConfirm(token, requestedAt + confirmableMs), null);
});

test('a link opens nothing for another purpose, in another installation, or with another byte', () => {
  const other = createSubscriptionLinks({ publicUrl, secret: randomBytes(32) });
  const token = tokenOf(links.unsubscribe(page, subscriber));
  assert.equal(links.openConfirm(token, requestedAt), null);
  assert.equal(links.openUnsubscribe(tokenOf(links.confirm(page, { ...subscriber, requestedAt })), requestedAt), null);
  assert.equal(other.openUnsubscribe(token, requestedAt), null);
  assert.equal(
    links.openUnsubscribe(`${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`, 1),
    null,
  );
  for (const text of ['', 'x', '%', `${token}=`]) assert.equal(links.openUnsubscribe(text, requestedAt), null);
});
