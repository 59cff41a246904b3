// Contexts of runs, cached until something in their account changes; missing ones are read for many runs at once.
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { SnippetScript } from '#domain/scripts/snippet.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import type { Run } from '#domain/checks/run.ts';
import { groupOf } from './check-rows.ts';
import { type IdBytes, idBytes, idText } from '../base/codec.ts';
import {
  type AccountColumns,
  type AccountContext,
  accountContext,
  type AccountRows,
  contextOf,
} from './context-rows.ts';
import type { CheckGroupsTable, ChecksTable, MaintenanceWindowsTable, VariablesTable } from '../base/tables/schema.ts';
import type { ClientCertificatesTable } from '../base/tables/client-certificate-tables.ts';
import type { Seal } from '../base/seal.ts';
import { inPairs, columnsOf } from '../engines/postgres/bulk.ts';
import type { Session } from '../engines/postgres/session.ts';

type OfCheck = Pick<Run, 'accountId' | 'checkId'>;

interface OfGroup {
  readonly accountId: string;
  readonly groupId: number | null;
}

interface GroupVariables {
  readonly ofAccount: readonly EnvironmentVariable[];
  readonly ofGroup: readonly EnvironmentVariable[];
}

/** The group of a check was deleted between the statements that read the two. A repeated read finds no group. */
export class GoneGroupError extends Error {
  override readonly name = 'GoneGroupError';
  /** PostgreSQL's code for a serialization failure. */
  readonly code = '40001';
}

/** Reads contexts, from the cache if nothing in the account changed. */
export function createContexts(seal: Seal) {
  const accounts = new Map<string, AccountContext>();
  return {
    /**
     * In the order of the input; null if the check was deleted. Concurrent reads are allowed.
     * Rejects with StoreUnavailableError, and with GoneGroupError, after which the transaction is repeated.
     */
    async read(session: Session, runs: readonly OfCheck[]): Promise<(CheckContext | null)[]> {
      const ids = [...new Set(runs.map(({ accountId }) => accountId))];
      // Used until the end of this read, even if another read replaces them meanwhile.
      const own = await readAccounts(session, ids, accounts, seal);
      await readChecks(session, runs, own, seal);
      return runs.map(({ accountId, checkId }) => own.get(accountId)?.checks.get(checkId) ?? null);
    },
    /** Variables of accounts and their groups, in the order of the input. */
    async variables(session: Session, asked: readonly OfGroup[]): Promise<readonly GroupVariables[]> {
      const ids = [...new Set(asked.map(({ accountId }) => accountId))];
      const own = await readAccounts(session, ids, accounts, seal);
      const groups = asked.map(({ accountId, groupId }) => ({ account_id: idBytes(accountId), group_id: groupId }));
      await readGroups(session, groups, own, seal);
      return asked.map(({ accountId, groupId }) => {
        const account = own.get(accountId);
        const group = groupId === null ? undefined : account?.groups.get(groupId);
        return { ofAccount: account?.variables ?? [], ofGroup: group?.environmentVariables ?? [] };
      });
    },
    /**
     * The same from the cache only; null = something must be read.
     * @param revisions current revisions of the runs' accounts; a missing one is 0
     */
    remembered(runs: readonly OfCheck[], revisions: ReadonlyMap<string, number>): CheckContext[] | null {
      const found: CheckContext[] = [];
      for (const { accountId, checkId } of runs) {
        const account = accounts.get(accountId);
        const context =
          account?.revision === (revisions.get(accountId) ?? 0) ? account?.checks.get(checkId) : undefined;
        if (context === undefined) return null;
        found.push(context);
      }
      return found;
    },
  };
}

export type Contexts = ReturnType<typeof createContexts>;

/**
 * Reads the revisions first: later reads are of that revision, or newer and repeated next time.
 * @param accounts cached ones, which are refreshed
 * @returns accounts of these IDs, cached or read
 */
async function readAccounts(
  session: Session,
  ids: readonly string[],
  accounts: Map<string, AccountContext>,
  seal: Seal,
): Promise<ReadonlyMap<string, AccountContext>> {
  const own = new Map<string, AccountContext>();
  if (ids.length === 0) return own;
  const counters = await session.query<{ id: IdBytes; last: number }>(
    `SELECT account_id AS id, last FROM counters WHERE noun = 'revision' AND account_id = ANY($1)`,
    [ids.map(idBytes)],
  );
  const revisions = new Map(counters.map(({ id, last }) => [idText(id), last]));
  const stale = new Map<string, AccountContext | undefined>();
  for (const id of ids) {
    const kept = accounts.get(id);
    if (kept?.revision === (revisions.get(id) ?? 0)) own.set(id, kept);
    else stale.set(id, kept);
  }
  if (stale.size === 0) return own;
  const rowsOf = await readAccountRows(session, [...stale.keys()]);
  for (const [id, before] of stale) {
    const account = accountContext(rowsOf(id), revisions.get(id) ?? 0, seal);
    own.set(id, account);
    const kept = accounts.get(id);
    // Keeps an entry of a concurrent read if it is as new. A revision that went back means a restored database.
    if (kept === undefined || kept === before || kept.revision < account.revision) accounts.set(id, account);
  }
  return own;
}

async function readAccountRows(session: Session, ids: readonly string[]): Promise<(id: string) => AccountRows> {
  const asked = [ids.map(idBytes)];
  const [rows, variables, windows, certificates, snippets] = await Promise.all([
    session.query<AccountColumns & { id: IdBytes }>(
      'SELECT id, alert_settings, runtime_id, time_zone FROM accounts WHERE id = ANY($1)',
      asked,
    ),
    session.query<VariablesTable>('SELECT * FROM variables WHERE account_id = ANY($1)', asked),
    session.query<MaintenanceWindowsTable>('SELECT * FROM maintenance_windows WHERE account_id = ANY($1)', asked),
    session.query<ClientCertificatesTable>('SELECT * FROM client_certificates WHERE account_id = ANY($1)', asked),
    session.query<SnippetScript & { account_id: IdBytes }>(
      'SELECT account_id, id, name, script FROM snippets WHERE account_id = ANY($1)',
      asked,
    ),
  ]);
  const accountOf = new Map(rows.map((row) => [idText(row.id), row]));
  const variablesOf = Map.groupBy(variables, (row) => idText(row.account_id));
  const windowsOf = Map.groupBy(windows, (row) => idText(row.account_id));
  const snippetsOf = Map.groupBy(snippets, (row) => idText(row.account_id));
  const certificatesOf = Map.groupBy(certificates, (row) => idText(row.account_id));
  return (id) => ({
    account: accountOf.get(id),
    variables: variablesOf.get(id) ?? [],
    windows: windowsOf.get(id) ?? [],
    certificates: certificatesOf.get(id) ?? [],
    snippets: snippetsOf.get(id) ?? [],
  });
}

async function readChecks(
  session: Session,
  runs: readonly OfCheck[],
  accounts: ReadonlyMap<string, AccountContext>,
  seal: Seal,
): Promise<void> {
  const missing = new Map<string, OfCheck>();
  for (const run of runs) {
    if (accounts.get(run.accountId)?.checks.has(run.checkId) === false) missing.set(run.accountId + run.checkId, run);
  }
  if (missing.size === 0) return;
  const asked = [...missing.values()];
  const rows = await session.query<ChecksTable>(`SELECT * FROM checks WHERE ${inPairs('(account_id, id)', 1)}`, [
    asked.map(({ accountId }) => idBytes(accountId)),
    asked.map(({ checkId }) => idBytes(checkId)),
  ]);
  await readGroups(session, rows, accounts, seal);
  for (const row of rows) {
    const account = accounts.get(idText(row.account_id));
    if (account === undefined) continue;
    const group = row.group_id === null ? null : account.groups.get(row.group_id);
    if (group === undefined) throw new GoneGroupError('the group of a check was deleted while they were read');
    account.checks.set(idText(row.id), contextOf(account, row, group, seal));
  }
}

async function readGroups(
  session: Session,
  checks: readonly Pick<ChecksTable, 'account_id' | 'group_id'>[],
  accounts: ReadonlyMap<string, AccountContext>,
  seal: Seal,
): Promise<void> {
  const missing = checks.filter(
    ({ account_id, group_id }) => group_id !== null && accounts.get(idText(account_id))?.groups.has(group_id) === false,
  );
  if (missing.length === 0) return;
  const rows = await session.query<CheckGroupsTable>(
    `SELECT * FROM check_groups WHERE ${inPairs('(account_id, id)', 1, 'bigint')}`,
    columnsOf(missing, 'account_id', 'group_id'),
  );
  for (const row of rows) accounts.get(idText(row.account_id))?.groups.set(row.id, groupOf(row, seal));
}
