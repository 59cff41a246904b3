// Each channel type has a kind, and each kind does all that the rest of the product asks of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelTypes } from '#domain/alerts/alert-channel.ts';
import { channelKinds } from './registry.ts';

test('every channel type has its kind', () => {
  assert.deepEqual(Object.keys(channelKinds), [...channelTypes]);
});

test('a webhook channel can be checked, previewed, rendered and shown through its kind', () => {
  const kind = channelKinds.WEBHOOK;
  const config = { url: 'https://h/', template: '{{NAME}}' };
  const facts = { createdAt: 0, uuid: 'u', randomNumber: 1, userAgent: 'Tocsin/0' };
  assert.deepEqual(kind.validateConfig(config, new Set()), []);
  assert.equal(kind.warnings(config, {}, new Set(), new Set()).length, 1);
  const request = kind.render(config, { NAME: 'hidden' }, facts);
  assert.equal(request.body, 'hidden');
  const locked = kind.lockedOf(config, [{ key: 'NAME', value: 'hidden', locked: true, secret: false }]);
  assert.equal(kind.redactRequest(request, locked).body, '********');
});
