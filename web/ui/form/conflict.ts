// What two people changed in the same record: three versions of a draft, compared field by field.
import type { FormValue } from '#lib/schema/form.ts';
import { type Draft, valueAt, withValue } from './draft.ts';

/** A field that somebody else has changed. */
export interface Conflict {
  readonly path: string;
  readonly theirs: FormValue;
  readonly mine: FormValue;
  /** Both changed it, to different values. */
  readonly isOpen: boolean;
}

/** Fields that somebody else has changed: lists as a whole, objects field by field. @param base what both began with */
export function conflictsOf(base: Draft, theirs: Draft, mine: Draft): readonly Conflict[] {
  return changedPaths(base, theirs, '').map((path) => {
    const [was, own, other] = [base, mine, theirs].map((draft) => valueAt(draft, path) ?? null);
    const isOpen = !isSame(own, was) && !isSame(own, other);
    return { path, theirs: other ?? null, mine: own ?? null, isOpen };
  });
}

/** Their version of fields that I did not change, my version of the others. */
export function mergedDraft(mine: Draft, conflicts: readonly Conflict[]): Draft {
  return conflicts
    .filter(({ isOpen }) => !isOpen)
    .reduce((draft, { path, theirs }) => withValue(draft, path, theirs), mine);
}

/** Whether two values are the same JSON. */
export function isSame(one: FormValue | undefined, other: FormValue | undefined): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

function changedPaths(base: FormValue, theirs: FormValue, above: string): readonly string[] {
  if (!isObject(base) || !isObject(theirs)) return isSame(base, theirs) ? [] : [above];
  const names = [...new Set([...Object.keys(base), ...Object.keys(theirs)])];
  return names.flatMap((name) =>
    changedPaths(base[name] ?? null, theirs[name] ?? null, above === '' ? name : `${above}.${name}`),
  );
}

function isObject(value: FormValue): value is Draft {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
