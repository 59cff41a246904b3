// Reads needed checks in PostgreSQL; the decisions are in suppression.ts.
import type { CheckContext } from '#domain/results/recording.ts';
import { type IdBytes, idBytes, idText } from '../../base/codec.ts';
import type { CheckStatesTable } from '../../base/tables/schema.ts';
import { inPairs } from '../../engines/postgres/bulk.ts';
import type { Session } from '../../engines/postgres/session.ts';
import { neededIn, type NeededRow } from './suppression.ts';

/** Where needed checks and their states are read to, by account and check. */
export interface ReadNeeded {
  /** By dependent check. */
  readonly needed: Map<string, readonly NeededRow[]>;
  /** A state that is known, such as a locked one, is kept. */
  readonly states: Map<string, CheckStatesTable>;
}

/** Reads the checks that these need. Their states are not locked. */
export async function readNeeded(
  session: Session,
  contexts: readonly CheckContext[],
  { needed, states }: ReadNeeded,
): Promise<void> {
  const pairs = contexts.flatMap((context) => neededIn(context).map((id) => [context.check.accountId, id] as const));
  const keys: [IdBytes[], IdBytes[]] = [
    pairs.map(([accountId]) => idBytes(accountId)),
    pairs.map(([, id]) => idBytes(id)),
  ];
  const [checks, found] =
    pairs.length === 0
      ? [[], []]
      : await Promise.all([
          session.query<NeededRow>(
            `SELECT c.*, coalesce(g.activated, 1) AS group_activated FROM checks c
             LEFT JOIN check_groups g ON g.account_id = c.account_id AND g.id = c.group_id
             WHERE ${inPairs('(c.account_id, c.id)', 1)}`,
            keys,
          ),
          session.query<CheckStatesTable>(
            `SELECT * FROM check_states WHERE ${inPairs('(account_id, check_id)', 1)}`,
            keys,
          ),
        ]);
  const rows = new Map(checks.map((row) => [idText(row.account_id) + idText(row.id), row]));
  for (const row of found) {
    const key = idText(row.account_id) + idText(row.check_id);
    if (!states.has(key)) states.set(key, row);
  }
  for (const context of contexts) {
    const { accountId, id } = context.check;
    needed.set(
      accountId + id,
      neededIn(context).flatMap((each) => rows.get(accountId + each) ?? []),
    );
  }
}
