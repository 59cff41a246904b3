// Trying a channel with other values: what cannot be rendered is none, and a preview does not go on for ever.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTrial } from './trial.ts';

test('values are tried until the time that a preview may take is used up', () => {
  const template = '{{#each LIST}}{{#each ../LIST}}{{/each}}{{/each}}{{CHECK_NAME}}';
  const trial = createTrial({ url: 'https://h/', template });
  const variables = { CHECK_NAME: 'Shop', LIST: Array.from({ length: 95 }, () => 'x') };
  assert.equal(trial.isOver, false);
  assert.equal(trial.request(variables)?.body, 'Shop');
  let rendered = 1;
  for (; !trial.isOver; rendered++) trial.request(variables);
  assert.ok(rendered > 1);
  assert.equal(createTrial({ url: 'https://h/', template }).isOver, false);
});

test('what cannot be rendered with some values is none', () => {
  const trial = createTrial({ url: '{{{HOOK}}}', template: 'x' });
  assert.equal(trial.request({ HOOK: 'nowhere' }), null);
  assert.equal(trial.request({ HOOK: 'https://h/' })?.url, 'https://h/');
});
