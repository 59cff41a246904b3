// Says which checks and groups use a resource, and refuses to delete one that is in use.
import { isUsed, type ResourceUsers, type Users } from '#domain/accounts/account.ts';
import type { Page, Slice } from '#store/base/database.ts';
import { createSharedLanes } from '#lib/shared-lanes.ts';
import { inTurn } from './in-turn.ts';
import { Refusal } from './refusal.ts';

/** Searches in progress: each may read all checks and groups of an account. */
const lanes = createSharedLanes(2, 1);

/** Searches for users once it is the account's turn; refuses (`unavailable`) if the signal aborts first. */
export function searchUses<Found>(
  accountId: string,
  signal: AbortSignal,
  search: () => Promise<Found>,
): Promise<Found> {
  return inTurn(lanes, accountId, signal, search);
}

/** All rows of a list, some at a time; pages may be shorter than asked for. */
export async function* allOf<Row>(
  page: (slice: Slice) => Promise<Page<Row>>,
  pageSize: number,
): AsyncGenerator<Row, void> {
  for (let offset = 0; ;) {
    const { rows, total } = await page({ limit: pageSize, offset });
    yield* rows;
    offset += rows.length;
    if (rows.length === 0 || offset >= total) return;
    // Other requests come first.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Users of each sort that a refusal names. */
const namedUsers = 5;

/** Refuses (`conflict`) a deletion if there are users. @param resource at the start of a sentence, such as `Snippet 3` */
export function refuseUsed(resource: string, users: ResourceUsers): void {
  if (!isUsed(users)) return;
  const { checks, groups } = users;
  const all = [...counted(checks, 'check'), ...counted(groups, 'check group')].join(' and ');
  const message = `${resource} is used by ${all}. Remove it from them first.`;
  throw new Refusal('conflict', message, { attributes: { checks: checks.total, groups: groups.total } });
}

/** `7 checks (“Shop”, “Cart”, …)`; nothing for none. */
function counted({ total, listed }: Users<{ readonly name: string }>, noun: string): string[] {
  if (total === 0) return [];
  const names = listed.slice(0, namedUsers).map(({ name }) => `“${name}”`);
  return [`${total} ${noun}${total === 1 ? '' : 's'} (${names.join(', ')}${total > names.length ? ', …' : ''})`];
}
