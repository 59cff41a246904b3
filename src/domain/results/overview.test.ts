// Sections of the overview.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxTagSections, type OverviewEntry, sectionsOf } from './overview.ts';

function entryOf(checkId: string, tags: readonly string[]): OverviewEntry {
  return { check: { checkId, tags, groupTags: [] } } as unknown as OverviewEntry;
}

const shown = (entries: readonly OverviewEntry[]) =>
  sectionsOf(entries, 'tag').map(({ name, entries: own }) => [name, own.length]);

test('of very many tags, only those with the most checks have a section', () => {
  const hosts = Array.from({ length: maxTagSections }, (_, index) => entryOf(`c${index}`, [`host-${index}`]));
  const others = [entryOf('one', ['web', 'prod']), entryOf('two', ['web', 'prod']), entryOf('none', [])];
  assert.equal(shown(hosts).length, maxTagSections);
  assert.deepEqual(shown([...hosts, ...others]), [
    ['prod', 2],
    ['web', 2],
    [null, maxTagSections + 1],
  ]);
});
