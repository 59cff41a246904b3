// Kinds of channels tell themselves apart, and a webhook can be checked, previewed, rendered and shown by the rules of all channels.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelKinds } from './registry.ts';
import { channelRules } from './rules.ts';

test('every kind has a type of its own', () => {
  assert.equal(new Set(channelKinds.map(({ type }) => type)).size, channelKinds.length);
});

test('a webhook channel can be checked, previewed, rendered and shown', () => {
  const type = 'WEBHOOK';
  const config = { url: 'https://h/', template: '{{NAME}}' };
  const facts = { createdAt: 0, uuid: 'u', randomNumber: 1, userAgent: 'Tocsin/0' };
  assert.deepEqual(channelRules.validateConfig(type, config, new Set()), []);
  assert.equal(channelRules.warnings(type, config, {}, new Set(), new Set()).length, 1);
  const request = channelRules.render({ type, config }, { NAME: 'hidden' }, facts);
  assert.equal(request.body, 'hidden');
  const locked = channelRules.lockedOf({ type, config }, [
    { key: 'NAME', value: 'hidden', locked: true, secret: false },
  ]);
  assert.equal(channelRules.redactRequest(request, locked).body, '********');
});

test('a channel whose type is of another version is refused with its type', () => {
  assert.throws(() => channelRules.storedFaults('PIGEON', {}), /no channels of the type PIGEON/);
});
