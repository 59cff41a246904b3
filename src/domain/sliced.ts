// Long work that can be interrupted: it yields where it may be, and a caller decides when it goes on.

/** A calculation in parts. Each part takes a few milliseconds at most. */
export type Sliced<Answer> = Generator<undefined, Answer, undefined>;

/** Items per part, of which each takes a few microseconds. */
const partSize = 100;

/** `items.map(change)` in parts. */
export function* mapped<Item, Other>(items: readonly Item[], change: (item: Item) => Other): Sliced<Other[]> {
  const all: Other[] = [];
  for (const item of items) {
    all.push(change(item));
    if (all.length % partSize === 0) yield;
  }
  return all;
}

/** `items.filter(isIn)` in parts. */
export function* filtered<Item>(items: readonly Item[], isIn: (item: Item) => boolean): Sliced<Item[]> {
  const some: Item[] = [];
  let seen = 0;
  for (const item of items) {
    if (isIn(item)) some.push(item);
    if (++seen % partSize === 0) yield;
  }
  return some;
}

/** `items.toSorted(compare)` in parts; stable as well. */
export function* sorted<Item>(items: readonly Item[], compare: (one: Item, other: Item) => number): Sliced<Item[]> {
  let runs: Item[][] = [];
  for (let start = 0; start < items.length; start += partSize) {
    runs.push(items.slice(start, start + partSize).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* mergedRuns(runs[index] ?? [], runs[index + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedRuns<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Sliced<Item[]> {
  const merged: Item[] = [];
  let [left, right] = [0, 0];
  while (left < one.length && right < other.length) {
    const [first, second] = [one[left] as Item, other[right] as Item];
    const isFirst = compare(first, second) <= 0;
    merged.push(isFirst ? first : second);
    if (isFirst) left++;
    else right++;
    if (merged.length % partSize === 0) yield;
  }
  return merged.concat(one.slice(left), other.slice(right));
}
