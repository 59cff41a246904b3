// Finds the place of a field in a file by its path in the API.
import { fieldOf } from '#contract/projects/resource-file.ts';
import type { Place } from './file-problem.ts';
import type { Entry } from './yaml-source.ts';

/**
 * The place of a field, or of what contains it if the file does not have it.
 * @param entry the resource
 * @param path such as `request.assertions[0].source`; '' = the resource itself
 * @param isKey the place of its name instead of its value
 */
export function placeOfPath(entry: Entry, path: string, isKey: boolean): Place {
  if (path === '') return entry.at;
  const { keyAt, value, isWhole } = fieldAt(entry, path);
  return isKey || !isWhole ? keyAt : value.at;
}

/** The value of a field, or of what contains it if the file does not have it: then it is not the whole. */
export function fieldAt(entry: Entry, path: string) {
  let [keyAt, value] = [entry.at, entry.value];
  for (const { 1: name, 2: index, index: from } of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (index !== undefined) {
      const item = value.items?.[Number(index)];
      if (item === undefined) return { keyAt, value, isWhole: false };
      [keyAt, value] = [item.at, item];
    } else {
      const isTop = value === entry.value;
      // The key of a text of a status page has dots.
      const rest = path.slice(from);
      const whole = value.entries?.find(({ key }) => key === rest);
      if (whole !== undefined) return { keyAt: whole.at, value: whole.value, isWhole: true };
      const found = value.entries?.find(({ key }) => key === name || (isTop && fieldOf(key) === name));
      if (found === undefined) return { keyAt, value, isWhole: false };
      [keyAt, value] = [found.at, found.value];
    }
  }
  return { keyAt, value, isWhole: true };
}
