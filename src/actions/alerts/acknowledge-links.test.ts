// Acknowledge links as shown to callers without write permission.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '#lib/id.ts';
import { createAcknowledgeLinks, maskAcknowledgeLinks } from './acknowledge-links.ts';

test('masks the token of an ACK_LINK in every encoding of the link, and nothing else', () => {
  const links = createAcknowledgeLinks({ publicUrl: () => 'https://tocsin.test/base', secret: new Uint8Array(32) });
  const link = links.link(newId(), newId(), 1000);
  const token = link.split('/').at(-1) ?? '';
  for (const spelt of [link, encodeURIComponent(link), link.replaceAll('/', String.raw`\/`)]) {
    const masked = maskAcknowledgeLinks(`{"a":"${spelt}","b":"${spelt}"}`);
    assert.ok(!masked.includes(token), masked);
    assert.equal(masked.split('********').length, 3, masked);
  }
  const others =
    'https://tocsin.test/results/AbC and /v1/check-alerts/019cd7b3-2b02-7a55-9d10-6f7a8b9c0d1e/acknowledge';
  assert.equal(maskAcknowledgeLinks(others), others);
});
