// Reads needed checks in PostgreSQL; the decisions are in suppression.ts.
import type { FailureMessage } from '#domain/alerts/suppression.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { type IdBytes, idBytes, idText } from '../../base/codec.ts';
import type { CheckStatesTable } from '../../base/tables/schema.ts';
import type { Contexts } from '../../checks/postgres-contexts.ts';
import { inPairs } from '../../engines/postgres/bulk.ts';
import type { Session } from '../../engines/postgres/session.ts';
import {
  type FailureMessageRow,
  messageColumns,
  messageJoins,
  messageOf,
  neededAtOnce,
  type NeededRow,
} from './suppression.ts';

/** The account and ID of a check. */
export interface CheckKey {
  readonly accountId: string;
  readonly checkId: string;
}

/** Where needed checks and their states are read to, by account and check. */
export interface ReadNeeded {
  /** null = it does not exist. */
  readonly needed: Map<string, NeededRow | null>;
  /** A state that is known, such as a locked one, is kept. */
  readonly states: Map<string, CheckStatesTable>;
}

/** Reads checks that others need. Their states are not locked. */
export async function readNeeded(
  session: Session,
  contexts: Contexts,
  asked: readonly CheckKey[],
  { needed, states }: ReadNeeded,
): Promise<void> {
  const keys = asked.slice(0, Math.max(0, neededAtOnce - needed.size));
  for (const { accountId, checkId } of asked) needed.set(accountId + checkId, null);
  if (keys.length === 0) return;
  const found = await contexts.read(session, keys);
  const present = found.filter((context) => context !== null);
  const [rows, messages, listened] = await Promise.all([
    session.query<CheckStatesTable>(
      `SELECT * FROM check_states WHERE ${inPairs('(account_id, check_id)', 1)}`,
      keyColumns(present),
    ),
    readMessages(session, present),
    readListened(session, present),
  ]);
  for (const row of rows) {
    const key = keyOf(row);
    if (!states.has(key)) states.set(key, row);
  }
  for (const context of present) {
    const key = context.check.accountId + context.check.id;
    needed.set(key, {
      context,
      state: states.get(key),
      messages: () => messages.get(key) ?? [],
      hasChannel: () => listened.has(key),
    });
  }
}

function keyColumns(contexts: readonly CheckContext[]): [IdBytes[], IdBytes[]] {
  return [contexts.map(({ check }) => idBytes(check.accountId)), contexts.map(({ check }) => idBytes(check.id))];
}

interface KeyRow {
  readonly account_id: IdBytes;
  readonly check_id: IdBytes;
}

function keyOf({ account_id, check_id }: KeyRow): string {
  return idText(account_id) + idText(check_id);
}

async function readMessages(
  session: Session,
  contexts: readonly CheckContext[],
): Promise<ReadonlyMap<string, readonly FailureMessage[]>> {
  const rows = await session.query<FailureMessageRow & KeyRow>(
    `SELECT t.account_id, t.check_id, ${messageColumns} FROM notified t ${messageJoins}
     WHERE ${inPairs('(t.account_id, t.check_id)', 1)}`,
    keyColumns(contexts),
  );
  const found = new Map<string, FailureMessage[]>();
  for (const row of rows) {
    const key = keyOf(row);
    found.set(key, [...(found.get(key) ?? []), messageOf(row)]);
  }
  return found;
}

/** Those of which a channel is notified when they fail. */
async function readListened(session: Session, contexts: readonly CheckContext[]): Promise<ReadonlySet<string>> {
  const rows = await session.query<KeyRow>(
    `SELECT a.account_id, a.check_id FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS a (account_id, check_id, group_id)
     WHERE EXISTS (
       SELECT 1 FROM subscriptions s
       JOIN alert_channels c ON c.account_id = s.account_id AND c.id = s.alert_channel_id AND c.send_failure = 1
       WHERE s.account_id = a.account_id AND (s.check_id = a.check_id OR s.group_id = a.group_id) AND s.activated = 1)`,
    [...keyColumns(contexts), contexts.map(({ check }) => check.groupId)],
  );
  return new Set(rows.map(keyOf));
}
