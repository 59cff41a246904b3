// Sections of the overview.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sliced } from '../sliced.ts';
import { maxTagSections, sectionsOf } from './overview-sections.ts';
import type { OverviewEntry } from './overview.ts';

function entryOf(checkId: string, tags: readonly string[]): OverviewEntry {
  return { check: { checkId, tags, groupTags: [] } } as unknown as OverviewEntry;
}

function finish<Answer>(work: Sliced<Answer>): Answer {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

const shown = (entries: readonly OverviewEntry[]) =>
  finish(sectionsOf(entries, 'tag')).sections.map(({ name, counts }) => [name, counts.total]);

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
