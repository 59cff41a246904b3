// The overview in sections by group or tag.
import type { Sliced } from '../sliced.ts';
import { count, noEntries, type OverviewCheck, type OverviewEntry, type OverviewSummary } from './overview.ts';

/** What the rows are grouped by. */
export type OverviewGrouping = 'group' | 'tag';

/** The checks of a group, or with a tag. */
export interface OverviewSection {
  readonly groupId: number | null;
  /** Name of the group, or the tag; null = the checks that are in no other section. */
  readonly name: string | null;
  readonly counts: OverviewSummary;
}

/** Sections in order, and the sections of a check. */
export interface OverviewSections {
  readonly sections: readonly OverviewSection[];
  readonly keysOf: KeysOf;
}

/** Sections by tag: a response lists all of them, and tags may be as many as checks. */
export const maxTagSections = 1000;
const maxCountedTags = 20 * maxTagSections;
/** Tags per part of a calculation. */
const tagsAtOnce = 10_000;

/**
 * The sections by group or tag, in alphabetical order. An entry is in the section of each of its tags. If there are more
 * tags than `maxTagSections`, only those with the most entries have a section.
 */
export function* sectionsOf(entries: readonly OverviewEntry[], by: OverviewGrouping): Sliced<OverviewSections> {
  const keysOf = by === 'group' ? groupOf : yield* commonTagsOf(entries);
  const sections = new Map<SectionKey, Ordered>();
  yield* eachKey(entries, keysOf, (key, entry) => {
    const section = sections.get(key) ?? newSection(key, entry.check);
    sections.set(key, section);
    count(section.counts, entry);
  });
  const ordered = [...sections.values()].sort(bySection);
  return { sections: ordered.map(({ groupId, name, counts }) => ({ groupId, name, counts })), keysOf };
}

/** Entries of a page over all sections, each section in the order of all entries. */
export function* pageOfSections(
  entries: readonly OverviewEntry[],
  { sections, keysOf }: OverviewSections,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Sliced<readonly OverviewEntry[]> {
  const wanted = new Map<SectionKey, { skip: number; readonly take: number; readonly found: OverviewEntry[] }>();
  let before = 0;
  for (const { groupId, name, counts } of sections) {
    const skip = Math.max(0, offset - before);
    const take = Math.min(counts.total, offset + limit - before) - skip;
    if (take > 0) wanted.set(groupId ?? name, { skip, take, found: [] });
    before += counts.total;
  }
  yield* eachKey(entries, keysOf, (key, entry) => {
    const section = wanted.get(key);
    if (section === undefined) return;
    if (section.skip > 0) section.skip--;
    else if (section.found.length < section.take) section.found.push(entry);
  });
  return [...wanted.values()].flatMap(({ found }) => found);
}

type SectionKey = number | string | null;
type KeysOf = (check: OverviewCheck) => readonly SectionKey[];

function newSection(key: SectionKey, { groupName }: OverviewCheck): Ordered {
  const groupId = typeof key === 'number' ? key : null;
  const name = typeof key === 'number' ? groupName : key;
  return { groupId, name, counts: noEntries(), lower: name?.toLowerCase() ?? null };
}

function* eachKey(
  entries: readonly OverviewEntry[],
  keysOf: KeysOf,
  see: (key: SectionKey, entry: OverviewEntry) => void,
): Sliced<void> {
  let seen = 0;
  for (const entry of entries) {
    for (const key of keysOf(entry.check)) {
      see(key, entry);
      if (++seen % tagsAtOnce === 0) yield;
    }
  }
}

/** The tags with the most entries, at most `maxTagSections`; of equally many, all or none. */
function* commonTagsOf(entries: readonly OverviewEntry[]): Sliced<KeysOf> {
  const counts = new Map<SectionKey, number>();
  yield* eachKey(entries, tagsOf, (tag) => {
    const known = counts.get(tag) ?? 0;
    // Beyond so many tags, new ones are hardly common.
    if (tag !== null && (known > 0 || counts.size < maxCountedTags)) counts.set(tag, known + 1);
  });
  if (counts.size <= maxTagSections) return tagsOf;
  const rare =
    Int32Array.from(counts.values())
      .sort()
      .at(-1 - maxTagSections) ?? 0;
  return (check) => {
    const common = tagsOf(check).filter((tag) => (counts.get(tag) ?? 0) > rare);
    return common.length === 0 ? none : common;
  };
}

const none = [null];

/** null = no group, or it was deleted meanwhile. */
const groupOf = ({ groupId, groupName }: OverviewCheck): readonly (number | null)[] =>
  groupName === null ? none : [groupId];

function tagsOf({ tags, groupTags }: OverviewCheck): readonly (string | null)[] {
  if (groupTags.length === 0) return tags.length === 0 ? none : tags;
  // A check and its group may have the same tag.
  return tags.length === 0 ? groupTags : [...new Set([...tags, ...groupTags])];
}

type Ordered = OverviewSection & { readonly lower: string | null };

function bySection(one: Ordered, other: Ordered): number {
  if (one.lower === null || other.lower === null) return one.lower === null ? 1 : -1;
  if (one.lower !== other.lower) return one.lower < other.lower ? -1 : 1;
  if (one.name !== other.name) return (one.name ?? '') < (other.name ?? '') ? -1 : 1;
  return (one.groupId ?? 0) - (other.groupId ?? 0);
}
