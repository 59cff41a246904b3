// Which texts can be slugs of private locations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugFault } from './private-location.ts';

test('a slug has lower-case letters, digits and hyphens, and is neither a region nor local', () => {
  for (const slug of ['office', 'dc-1', 'a', '7', 'europe-1', 'x'.repeat(30)])
    assert.equal(slugFault(slug), null, slug);
  for (const slug of ['', 'Office', 'my office', 'a_b', 'x'.repeat(31), 'büro']) {
    assert.match(slugFault(slug) ?? '', /1 to 30/, slug);
  }
  for (const slug of ['eu-west-1', 'us-gov-east-1', 'ap-southeast-2', 'eu-1']) {
    assert.match(slugFault(slug) ?? '', /region/, slug);
  }
  assert.match(slugFault('local') ?? '', /TOCSIN_LOCATION/);
});
