// Builds the context of a run from rows: the check, its group, and shared data of the account.
import type { AlertSettings } from '#domain/alerts/alert-settings.ts';
import type { ClientIdentity } from '#domain/accounts/client-certificate.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { MaintenanceWindow } from '#domain/checks/maintenance-window.ts';
import type { SnippetScript } from '#domain/scripts/snippet.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { identityOf } from '../accounts/client-certificates.ts';
import { checkOf } from './check-rows.ts';
import { parsedOrNull } from '../base/codec.ts';
import { windowOf } from './maintenance-windows.ts';
import type { ClientCertificatesTable } from '../base/tables/client-certificate-tables.ts';
import type { AccountsTable } from '../base/tables/installation-tables.ts';
import type { ChecksTable, MaintenanceWindowsTable, VariablesTable } from '../base/tables/schema.ts';
import type { Seal } from '../base/seal.ts';

/** Shared data of an account, with the groups and checks read so far. */
export interface AccountContext {
  /** The account's revision at the time of reading. */
  readonly revision: number;
  readonly variables: readonly EnvironmentVariable[];
  readonly alertSettings: AlertSettings | null;
  readonly runtimeId: string | null;
  readonly timeZone: string | null;
  readonly maintenanceWindows: readonly MaintenanceWindow[];
  readonly clientCertificates: readonly ClientIdentity[];
  readonly snippets: readonly SnippetScript[];
  readonly groups: Map<number, CheckGroup>;
  readonly checks: Map<string, CheckContext>;
}

/** Columns of an account that its checks depend on. */
export type AccountColumns = Pick<AccountsTable, 'alert_settings' | 'runtime_id' | 'time_zone'>;

/** Data of an account that is read at once. */
export interface AccountRows {
  readonly account: AccountColumns | undefined;
  readonly variables: readonly VariablesTable[];
  readonly windows: readonly MaintenanceWindowsTable[];
  readonly certificates: readonly ClientCertificatesTable[];
  /** Absent = no check runs. */
  readonly snippets?: readonly SnippetScript[];
}

/** An account without any group or check read. */
export function accountContext(
  { account, variables, windows, certificates, snippets = [] }: AccountRows,
  revision: number,
  seal: Seal,
): AccountContext {
  return {
    revision,
    maintenanceWindows: windows.map(windowOf),
    clientCertificates: certificates.map((row) => identityOf(row, seal)),
    snippets,
    alertSettings: parsedOrNull<AlertSettings>(account?.alert_settings ?? null),
    runtimeId: account?.runtime_id ?? null,
    timeZone: account?.time_zone ?? null,
    variables: variables.map((row) => ({
      key: row.key,
      value: row.secret === 1 ? seal.open(row.value) : row.value,
      locked: row.locked === 1,
      secret: row.secret === 1,
    })),
    groups: new Map(),
    checks: new Map(),
  };
}

export function contextOf(
  account: AccountContext,
  row: ChecksTable,
  group: CheckGroup | null,
  seal: Seal,
): CheckContext {
  return {
    check: checkOf(row, seal),
    group,
    variables: account.variables,
    accountAlertSettings: account.alertSettings,
    accountRuntimeId: account.runtimeId,
    accountTimeZone: account.timeZone,
    maintenanceWindows: account.maintenanceWindows,
    clientCertificates: account.clientCertificates,
    snippets: account.snippets,
    revision: account.revision,
  };
}
