// What the alerts of one check depend on: its settings, channels, and the checks before and behind it.
import { sql } from 'kysely';
import type { Suppressor } from '#domain/alerts/suppression.ts';
import type { Subscriber } from '#domain/alerts/who-is-notified.ts';
import { type CheckStatus, newCheckState } from '#domain/checks/check-state.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { idBytes, idText, parsedOrNull } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { findRow, findRows, inAccount } from '../base/rows.ts';
import type { Seal } from '../base/seal.ts';
import type { CheckStatesTable, Db } from '../base/tables/schema.ts';
import { findChecksWithoutChannel } from '../channels/checks-without-channels.ts';
import { type Dependents, dependentsOf } from '../checks/check-dependencies.ts';
import { groupOf } from '../checks/check-rows.ts';
import { type AccountContext, accountContext, contextOf } from '../checks/context-rows.ts';
import { stateOf } from '../path/record/check-state-rows.ts';
import {
  type FailureMessageRow,
  messageColumns,
  messageJoins,
  messageOf,
  neededIn,
  type NeededRow,
  suppressorIn,
} from '../path/record/suppression.ts';

/** Channels of a check that are read at most. */
const maxChannels = 200;

/** A check that another one needs. */
export interface NeededNow {
  readonly checkId: string;
  readonly name: string;
  /** null = no result yet. */
  readonly status: CheckStatus | null;
}

export interface CheckAlerting {
  readonly context: CheckContext;
  /** When the check last recovered, epoch ms; null = never. */
  readonly passedAt: number | null;
  readonly subscribers: readonly Subscriber[];
  /** The needed check that would suppress an alert now; null = none. */
  readonly suppressor: Suppressor | null;
  readonly needs: readonly NeededNow[];
  readonly neededBy: Dependents;
}

export function createCheckAlerting({ reader, seal, clock }: Database) {
  return {
    /** null = unknown check. */
    async ofCheck(accountId: string, checkId: string): Promise<CheckAlerting | null> {
      const account = await readAccount(reader, accountId, seal);
      const [context] = await readContexts(reader, account, accountId, [checkId], seal);
      if (context === undefined) return null;
      const key = { account_id: idBytes(accountId), check_id: idBytes(checkId) };
      const state = await findRow(reader, 'check_states', key);
      const needed = await readNeeded(reader, account, context, seal);
      const rows = { needed: (_: string, id: string) => needed.get(id) ?? null };
      return {
        context,
        passedAt: state?.passed_at ?? null,
        subscribers: await readSubscribers(reader, context),
        suppressor: suppressorIn(rows, context, newCheckState, null, clock.now()),
        needs: neededIn(context).flatMap((id) => {
          const row = needed.get(id);
          if (row === undefined) return [];
          return { checkId: id, name: row.context.check.name, status: stateOf(row.state).status };
        }),
        neededBy: await dependentsOf(reader, accountId, checkId),
      };
    },
  };
}

async function readAccount(db: Db, accountId: string, seal: Seal): Promise<AccountContext> {
  const own = { account_id: idBytes(accountId) };
  const account = await findRow(db, 'accounts', { id: own.account_id }, ['alert_settings', 'runtime_id', 'time_zone']);
  const windows = await findRows(db, 'maintenance_windows', own);
  return accountContext({ account, variables: [], windows, certificates: [] }, 0, seal);
}

async function readContexts(
  db: Db,
  account: AccountContext,
  accountId: string,
  ids: readonly string[],
  seal: Seal,
): Promise<CheckContext[]> {
  const own = { account_id: idBytes(accountId) };
  const rows = await findRows(db, 'checks', { ...own, id: ids.map(idBytes) });
  const groupIds = [...new Set(rows.flatMap(({ group_id }) => group_id ?? []))].filter((id) => !account.groups.has(id));
  for (const row of await findRows(db, 'check_groups', { ...own, id: groupIds })) {
    account.groups.set(row.id, groupOf(row, seal));
  }
  return rows.map((row) => {
    const group = row.group_id === null ? null : (account.groups.get(row.group_id) ?? null);
    return contextOf(account, row, group, seal);
  });
}

/** Longest chain of needed checks that is followed, and checks in it, as for alerts. */
const [longestChain, mostChecks] = [10, 500] as const;

/** The checks that a check needs, and those that they need while they fail. */
async function readNeeded(
  db: Db,
  account: AccountContext,
  context: CheckContext,
  seal: Seal,
): Promise<ReadonlyMap<string, NeededRow>> {
  const { accountId } = context.check;
  const needed = new Map<string, NeededRow>();
  let front = neededIn(context);
  for (let depth = 0; depth <= longestChain && front.length > 0 && needed.size < mostChecks; depth++) {
    const contexts = await readContexts(db, account, accountId, front.slice(0, mostChecks - needed.size), seal);
    for (const row of await neededRows(db, accountId, contexts)) needed.set(row.context.check.id, row);
    const failing = contexts.filter(({ check }) => needed.get(check.id)?.state?.status === 'failing');
    front = [...new Set(failing.flatMap(neededIn))].filter((id) => !needed.has(id));
  }
  return needed;
}

async function neededRows(db: Db, accountId: string, contexts: readonly CheckContext[]): Promise<NeededRow[]> {
  if (contexts.length === 0) return [];
  const account = idBytes(accountId);
  const ids = contexts.map(({ check }) => idBytes(check.id));
  const states = await findRows(db, 'check_states', { account_id: account, check_id: ids });
  const silent = await findChecksWithoutChannel(
    db,
    accountId,
    contexts.map(({ check }) => check),
  );
  const messages = await sql<FailureMessageRow & Pick<CheckStatesTable, 'check_id'>>`
    SELECT t.check_id, ${sql.raw(messageColumns)} FROM notified t ${sql.raw(messageJoins)}
    WHERE t.account_id = ${account} AND t.check_id IN (${sql.join(ids)})`.execute(db);
  return contexts.map((context) => {
    const { id } = context.check;
    return {
      context,
      state: states.find(({ check_id }) => idText(check_id) === id),
      messages: () => messages.rows.filter(({ check_id }) => idText(check_id) === id).map(messageOf),
      hasChannel: () => !silent.has(id),
    };
  });
}

/** The channels of a check and of its group, once each, by ID. */
async function readSubscribers(db: Db, { check, group }: CheckContext): Promise<Subscriber[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .innerJoin('alert_channels', inAccount('alert_channels.id', 'subscriptions.alert_channel_id'))
    .leftJoin('notified', (join) =>
      inAccount(
        'notified.alert_channel_id',
        'subscriptions.alert_channel_id',
      )(join).on('notified.check_id', '=', idBytes(check.id)),
    )
    .where('subscriptions.account_id', '=', idBytes(check.accountId))
    .where('subscriptions.activated', '=', 1)
    .where((either) =>
      either.or([
        either('subscriptions.check_id', '=', idBytes(check.id)),
        ...(group === null ? [] : [either('subscriptions.group_id', '=', group.id)]),
      ]),
    )
    .select([
      'alert_channels.id as id',
      'subscriptions.group_id as group_id',
      'subscriptions.escalation_minutes as escalation_minutes',
      'notified.escalates_at as escalates_at',
      'send_failure',
      'send_recovery',
      'send_degraded',
      'ssl_expiry',
      'ssl_expiry_threshold',
      'active_hours',
      'failing_since',
    ])
    .orderBy('alert_channels.id')
    .limit(2 * maxChannels)
    .execute();
  const byId = new Map<number, Subscriber>();
  for (const row of rows) {
    const known = byId.get(row.id);
    byId.set(row.id, {
      alertChannelId: row.id,
      isOfCheck: row.group_id === null || known?.isOfCheck === true,
      isOfGroup: row.group_id !== null || known?.isOfGroup === true,
      sendFailure: row.send_failure === 1,
      sendRecovery: row.send_recovery === 1,
      sendDegraded: row.send_degraded === 1,
      sslExpiry: row.ssl_expiry === 1,
      sslExpiryThreshold: row.ssl_expiry_threshold,
      activeHours: parsedOrNull<Subscriber['activeHours']>(row.active_hours),
      failingSince: row.failing_since,
      escalationMinutes: Math.min(row.escalation_minutes, known?.escalationMinutes ?? Infinity),
      escalatesAt: row.escalates_at,
    });
  }
  return [...byId.values()].slice(0, maxChannels);
}
