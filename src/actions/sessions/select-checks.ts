// Selects stored checks to start, by tags or IDs.
import type { Store } from '#store/store.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import { effectiveCheck } from '#domain/checks/effective-check.ts';
import { checksOfCall } from '#domain/sessions/check-session.ts';
import { Refusal, refuseProblems } from '../refusal.ts';

/** Which checks to start; empty = all. With both, a check must match both. */
export interface CheckTarget {
  /** Each list names tags that a check or its group must have; one of the lists must match. */
  readonly matchTags?: readonly (readonly string[])[] | undefined;
  readonly checkIds?: readonly string[] | undefined;
  /** Also select deactivated checks. */
  readonly allowDeactivated?: boolean | undefined;
}

/** A selected check with its group. */
export interface SelectedCheck {
  readonly check: Check;
  readonly group: CheckGroup | null;
}

export type SelectDeps = Pick<Store, 'checks' | 'checkGroups'>;

/**
 * Checks of the account that match, without heartbeat checks, which cannot be started. Refuses `not-found` if none
 * matches, and `invalid` if more than 500 do.
 */
export async function selectChecks(accountId: string, target: CheckTarget, deps: SelectDeps): Promise<SelectedCheck[]> {
  const groups = new Map<number, Promise<CheckGroup | null>>();
  const groupOf = ({ groupId }: Check): Promise<CheckGroup | null> | null => {
    if (groupId === null) return null;
    const known = groups.get(groupId);
    const found = known ?? deps.checkGroups.find(accountId, groupId).then((stored) => stored?.group ?? null);
    groups.set(groupId, found);
    return found;
  };
  const selected: SelectedCheck[] = [];
  for (const check of await candidates(accountId, target, deps)) {
    const group = await groupOf(check);
    const isRunnable = target.allowDeactivated === true || effectiveCheck(check, group).activated;
    if (check.checkType !== 'HEARTBEAT' && isRunnable && hasTags({ check, group }, target))
      selected.push({ check, group });
  }
  if (selected.length === 0) throw new Refusal('not-found', 'No matching checks were found.');
  if (selected.length > checksOfCall) {
    const message = `matches ${selected.length} checks: at most ${checksOfCall} can be started together. Use tags to select fewer`;
    refuseProblems([{ path: 'target', message }]);
  }
  return selected;
}

/** Checks that may match; one more than allowed suffices. */
async function candidates(
  accountId: string,
  { matchTags = [], checkIds = [] }: CheckTarget,
  { checks }: SelectDeps,
): Promise<Check[]> {
  if (checkIds.length > 0) {
    const found = await Promise.all([...new Set(checkIds)].map((id) => checks.find(accountId, id)));
    return found.flatMap((stored) => stored?.check ?? []);
  }
  const slice = { limit: 2 * checksOfCall, offset: 0 };
  const byId = new Map<string, Check>();
  for (const tags of matchTags.length === 0 ? [[]] : matchTags) {
    const { rows } = await checks.list(accountId, { tags }, slice);
    for (const { check } of rows) byId.set(check.id, check);
  }
  return [...byId.values()];
}

function hasTags({ check, group }: SelectedCheck, { matchTags = [] }: CheckTarget): boolean {
  const tags = new Set([...check.tags, ...(group?.tags ?? [])]);
  return matchTags.length === 0 || matchTags.some((wanted) => wanted.every((tag) => tags.has(tag)));
}
