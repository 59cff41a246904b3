// Channel kinds have different types, and the common rules apply to webhooks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelKinds } from './registry.ts';
import { channelRules } from './rules.ts';
import * as forms from './forms.ts';
import * as shows from './shows.ts';

test('every kind has its own type, and says how it is shown', () => {
  const types = channelKinds.map(({ type }) => type);
  assert.equal(new Set(types).size, types.length);
  for (const described of [Object.values(shows), Object.values(forms)]) {
    assert.deepEqual(described.map(({ type }) => type).toSorted(), types.toSorted());
  }
});

test('forms show the default of grouping, and have an example that can be previewed', () => {
  for (const { type, example, isGrouped = false } of Object.values(forms)) {
    const schema = channelKinds.find((kind) => kind.type === type)?.config ?? assert.fail(type);
    assert.ok(schema.safeParse(example).success, type);
    assert.equal(isGrouped, channelRules.isGrouped(type, {}), type);
  }
});

test('a webhook channel can be validated, previewed, rendered and shown', () => {
  const type = 'WEBHOOK';
  const config = { url: 'https://h/', template: '{{NAME}}' };
  const facts = { createdAt: 0, uuid: 'u', randomNumber: 1, userAgent: 'Tocsin/0', timeZone: 'UTC' };
  assert.deepEqual(channelRules.validateConfig(type, config, new Set()), []);
  assert.equal(channelRules.warnings(type, config, {}, new Set(), new Set()).length, 1);
  const request = channelRules.render({ type, config }, { NAME: 'hidden' }, facts);
  assert.equal(request.body, 'hidden');
  const locked = channelRules.lockedOf({ type, config }, [
    { key: 'NAME', value: 'hidden', locked: true, secret: false },
  ]);
  assert.equal(channelRules.redactRequest(request, locked).body, '********');
});

test('kinds that send through services of the operator have a quota', () => {
  assert.deepEqual(
    ['EMAIL', 'SMS', 'CALL', 'WEBHOOK'].map((type) => channelRules.quotaOf(type)),
    ['email', 'telephone', 'telephone', null],
  );
});

test('a channel of an unknown type is rejected with its type', () => {
  assert.throws(() => channelRules.storedFaults('PIGEON', {}), /no channels of the type PIGEON/);
});
