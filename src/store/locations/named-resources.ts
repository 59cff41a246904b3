// Checks and groups whose definitions name a private location or a snippet.
import { type Expression, type SqlBool, sql } from 'kysely';
import type { ResourceUsers, Users } from '#domain/accounts/account.ts';
import { idText } from '../base/codec.ts';
import { type Database, ownedBy } from '../base/database.ts';
import { selectRows } from '../base/rows.ts';
import type { Db } from '../base/tables/schema.ts';

/** Maximum number of users of each sort that are listed. */
const mostListed = 50;

/** A resource that definitions name. */
interface Named {
  /** A pattern of LIKE that matches every definition that names it. */
  readonly like: string;
  /** Whether a definition names it. @param text the text at a path of the definition; checks have settings of their own */
  readonly isNamed: (text: (field: string, isSetting?: true) => Expression<string | null>) => Expression<SqlBool>;
}

/** A private location, named by its slug: letters, digits and hyphens. */
export function namedLocation(slug: string): Named {
  const like = `%"${slug}"%`;
  return { like, isNamed: (text) => sql<SqlBool>`${text('privateLocations')} LIKE ${like}` };
}

/** A snippet, named by its ID. */
export function namedSnippet(id: number): Named {
  const isIn = (field: Expression<string | null>) => sql<SqlBool>`CAST(${field} AS TEXT) = ${String(id)}`;
  return {
    like: `%SnippetId":${id}%`,
    isNamed: (text) =>
      sql<SqlBool>`(${isIn(text('setupSnippetId', true))} OR ${isIn(text('tearDownSnippetId', true))})`,
  };
}

/** Checks by name, and groups by ID. */
export async function usersOf(
  db: Db,
  { dialect }: Pick<Database, 'dialect'>,
  accountId: string,
  named: Named,
): Promise<ResourceUsers> {
  // LIKE reads the text, so that only few definitions are parsed.
  const isNaming = (table: 'checks' | 'check_groups', settings: readonly string[]) => {
    const text = (field: string, isSetting?: true) =>
      dialect.jsonText(`${table}.definition`, [...(isSetting === true ? settings : []), field]);
    return sql<SqlBool>`${sql.ref(`${table}.definition`)} LIKE ${named.like} AND ${named.isNamed(text)}`;
  };
  const total = sql<number>`count(*) OVER ()`.as('total');
  const checks = await selectRows(db, 'checks', ownedBy(accountId))
    .where(isNaming('checks', ['settings']))
    .select(['id', 'name', total])
    .orderBy('name')
    .orderBy('id')
    .limit(mostListed)
    .execute();
  const groups = await selectRows(db, 'check_groups', ownedBy(accountId))
    .where(isNaming('check_groups', []))
    .select(['id', 'name', total])
    .orderBy('id')
    .limit(mostListed)
    .execute();
  return {
    checks: listed(checks.map(({ id, ...rest }) => ({ ...rest, id: idText(id) }))),
    groups: listed(groups),
  };
}

function listed<User>(rows: readonly (User & { readonly total: number })[]): Users<User> {
  return { total: rows[0]?.total ?? 0, listed: rows.map(({ total: _total, ...user }) => user as User) };
}
