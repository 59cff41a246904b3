// Every helper is described, and every example is a valid template.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { templateIssues } from './fields.ts';
import { helperReferences } from './reference.ts';

test('every helper says what it does, in a template that can be saved', () => {
  assert.ok(helperReferences.length > 40);
  for (const { name, about, example } of helperReferences) {
    assert.notEqual(about, '', name);
    assert.match(example, new RegExp(`[{(#]${name}\\b`));
    assert.deepEqual(templateIssues([{ path: name, source: example, target: 'body' }], new Set()), []);
  }
});
