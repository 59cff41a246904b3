// Finds what a person names on the command line, and reads whole lists.
import { calledOperation } from '#contract/called-operations.ts';
import type { AnswerOf, OperationId, PagedId } from '#contract/operations.ts';
import { CommandError } from '../exits.ts';
import { oneLine } from '../terminal-text.ts';
import type { Connection } from './connect.ts';

/** A check as the API shows it. */
export type CheckBody = AnswerOf<'listChecks'>[number];

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Candidates that a message lists. */
const maxListed = 5;

/**
 * The check with an ID or a name. Case does not matter.
 * @param isPartEnough whether a part of the name is enough if only one check contains it
 * @throws {CommandError} if there is none, or more than one
 */
export async function findCheck({ client }: Connection, wanted: string, isPartEnough = true): Promise<CheckBody> {
  if (uuid.test(wanted)) return client.call('getCheck', { params: { id: wanted } });
  const { items, total } = await client.page('listChecks', { query: { search: wanted, limit: 100 } });
  const exact = items.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const found = exact.length > 0 || !isPartEnough ? exact : items;
  const [only] = found;
  if (only === undefined) throw new CommandError(`there is no check with the ID or name "${oneLine(wanted)}"`);
  if (found.length === 1 && (exact.length === 1 || total === 1)) return only;
  const names = found.slice(0, maxListed).map(({ id, name }) => `\n  ${id}  ${oneLine(name)}`);
  throw new CommandError(`several checks match "${oneLine(wanted)}"; use the ID of one:${names.join('')}`);
}

/** The ID of a group by its ID or name. @throws {CommandError} if there is none, or more than one */
export async function findGroupId(connection: Connection, wanted: string): Promise<number> {
  if (/^\d{1,15}$/.test(wanted)) return Number(wanted);
  const groups = await readAll(connection, 'listCheckGroups', {});
  const found = groups.items.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (found.length === 1 && found[0] !== undefined) return found[0].id;
  const ids = found.map(({ id }) => id).join(', ');
  throw new CommandError(
    found.length === 0
      ? `there is no check group with the ID or name "${oneLine(wanted)}"`
      : `several check groups are named "${oneLine(wanted)}"; use the ID of one: ${ids}`,
  );
}

type ItemOf<Id extends PagedId> = AnswerOf<Id> extends readonly (infer Item)[] ? Item : never;

/** Items of a paged list, and their total number on the server. @param most items that are read at most */
export async function readAll<Id extends PagedId>(
  { client }: Connection,
  id: Id,
  query: Readonly<Record<string, string | number | boolean | readonly string[]>>,
  most = Number.POSITIVE_INFINITY,
): Promise<{ items: ItemOf<Id>[]; total: number }> {
  const items: ItemOf<Id>[] = [];
  for (let number = 1; ; number++) {
    // All paged lists take the same query; the types of their further parameters differ.
    const request = { query: { ...query, limit: Math.min(100, most), page: number } } as never;
    const answer = await client.page(id, request);
    const page = answer.items as unknown as ItemOf<Id>[];
    items.push(...page);
    const isEnd = page.length === 0 || items.length >= answer.total || items.length >= most;
    if (isEnd) return { items: items.slice(0, most), total: answer.total };
  }
}

/** Everything that a list without required parameters has: a paged one, one that continues after an ID, or a short one. */
export async function readWhole(connection: Connection, id: OperationId): Promise<readonly object[]> {
  // The operation says which list it is.
  if (calledOperation(id).isPaged === true) return (await readAll(connection, id as PagedId, {})).items;
  const all: object[] = [];
  for (let nextId: string | null = null; ;) {
    const request = nextId === null ? {} : { query: { limit: 100, nextId } };
    const answer = (await connection.client.call(id, request)) as CursorAnswer | readonly object[];
    if (Array.isArray(answer)) return answer as readonly object[];
    const part = answer as CursorAnswer;
    all.push(...part.entries);
    if (part.nextId === null) return all;
    ({ nextId } = part);
  }
}

interface CursorAnswer {
  readonly entries: readonly object[];
  readonly nextId: string | null;
}
