// Rendering a channel with other values, in limited time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTrial } from './trial.ts';

test('tries values until the time limit', () => {
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

test('returns null if rendering fails', () => {
  const trial = createTrial({ url: '{{{HOOK}}}', template: 'x' });
  assert.equal(trial.request({ HOOK: 'nowhere' }), null);
  assert.equal(trial.request({ HOOK: 'https://h/' })?.url, 'https://h/');
});
