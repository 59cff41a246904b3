// Contexts of runs, cached until something in their account changes.
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { SnippetScript } from '#domain/scripts/snippet.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { groupOf } from './check-rows.ts';
import { type IdBytes, idBytes, idText } from '../base/codec.ts';
import { type AccountColumns, type AccountContext, accountContext, contextOf } from './context-rows.ts';
import type { CheckGroupsTable, ChecksTable, MaintenanceWindowsTable, VariablesTable } from '../base/tables/schema.ts';
import type { ClientCertificatesTable } from '../base/tables/client-certificate-tables.ts';
import type { Seal } from '../base/seal.ts';
import type { Connection } from '../engines/sqlite/connection.ts';

/** Reads contexts, from the cache if nothing in the account changed. */
export function createContexts(seal: Seal) {
  const accounts = new Map<string, AccountContext>();
  const fresh = new Set<string>();
  const accountOf = (connection: Connection, accountId: string): AccountContext => {
    const kept = accounts.get(accountId);
    if (kept !== undefined && fresh.has(accountId)) return kept;
    fresh.add(accountId);
    const row = connection
      .prepare(`SELECT last FROM counters WHERE account_id = ? AND noun = 'revision'`)
      .get(idBytes(accountId));
    const revision = Number(row?.['last'] ?? 0);
    if (kept?.revision === revision) return kept;
    const account = readAccount(connection, accountId, revision, seal);
    accounts.set(accountId, account);
    return account;
  };
  return {
    /** Call at the start of each transaction that reads contexts: it reads revisions once per transaction. */
    begin: (): void => fresh.clear(),
    /** null if the check was deleted. */
    read(connection: Connection, accountId: string, checkId: string): CheckContext | null {
      const account = accountOf(connection, accountId);
      const kept = account.checks.get(checkId);
      if (kept !== undefined) return kept;
      const context = readContext(connection, account, { accountId, checkId }, seal);
      if (context !== null) account.checks.set(checkId, context);
      return context;
    },
    /** Variables of an account and one of its groups. */
    variables(
      connection: Connection,
      accountId: string,
      groupId: number | null,
    ): { readonly ofAccount: readonly EnvironmentVariable[]; readonly ofGroup: readonly EnvironmentVariable[] } {
      const account = accountOf(connection, accountId);
      const group = groupId === null ? null : readGroup(connection, account, idBytes(accountId), groupId, seal);
      return { ofAccount: account.variables, ofGroup: group?.environmentVariables ?? [] };
    },
    /** For checks whose rows were read together, in their order; only their accounts and groups are cached. */
    ofRows: (connection: Connection, rows: readonly ChecksTable[]): CheckContext[] =>
      rows.map((row) => contextOfRow(connection, accountOf(connection, idText(row.account_id)), row, seal)),
  };
}

export type Contexts = ReturnType<typeof createContexts>;

function readAccount(connection: Connection, accountId: string, revision: number, seal: Seal): AccountContext {
  const account = idBytes(accountId);
  const columns = 'SELECT alert_settings, runtime_id, time_zone FROM accounts WHERE id = ?';
  const ofAccount = <Row>(table: string): Row[] =>
    connection.select<Row>(`SELECT * FROM ${table} WHERE account_id = ?`)(account);
  const rows = {
    account: connection.select<AccountColumns>(columns)(account)[0],
    variables: ofAccount<VariablesTable>('variables'),
    windows: ofAccount<MaintenanceWindowsTable>('maintenance_windows'),
    certificates: ofAccount<ClientCertificatesTable>('client_certificates'),
    snippets: connection.select<SnippetScript>('SELECT id, name, script FROM snippets WHERE account_id = ?')(account),
  };
  return accountContext(rows, revision, seal);
}

function readContext(
  connection: Connection,
  account: AccountContext,
  { accountId, checkId }: { accountId: string; checkId: string },
  seal: Seal,
): CheckContext | null {
  const select = connection.select<ChecksTable>('SELECT * FROM checks WHERE account_id = ? AND id = ?');
  const [row] = select(idBytes(accountId), idBytes(checkId));
  return row === undefined ? null : contextOfRow(connection, account, row, seal);
}

function contextOfRow(connection: Connection, account: AccountContext, row: ChecksTable, seal: Seal): CheckContext {
  const group = row.group_id === null ? null : readGroup(connection, account, row.account_id, row.group_id, seal);
  return contextOf(account, row, group, seal);
}

function readGroup(
  connection: Connection,
  account: AccountContext,
  accountId: IdBytes,
  groupId: number,
  seal: Seal,
): CheckGroup | null {
  const kept = account.groups.get(groupId);
  if (kept !== undefined) return kept;
  const select = connection.select<CheckGroupsTable>('SELECT * FROM check_groups WHERE account_id = ? AND id = ?');
  const [row] = select(accountId, groupId);
  if (row === undefined) return null;
  const group = groupOf(row, seal);
  account.groups.set(groupId, group);
  return group;
}
