// Versioned migrations: forward only, each in one transaction; a database newer than this program is refused.
import type { Dialect } from './dialect.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';
import { processesTable } from './migrations/0002-processes.ts';
import { rollUps } from './migrations/0003-roll-ups.ts';
import { accountMoves } from './migrations/0004-account-moves.ts';
import { cheapClaims } from './migrations/0005-cheap-claims.ts';
import { attemptsIndex } from './migrations/0006-attempts-index.ts';
import { schedulesInStep } from './migrations/0007-schedules-in-step.ts';
import { maintenanceWindows } from './migrations/0008-maintenance-windows.ts';
import { reminders } from './migrations/0009-reminders.ts';
import { heartbeats } from './migrations/0010-heartbeats.ts';
import { resultAssets } from './migrations/0011-result-assets.ts';
import { leasedDeliveries } from './migrations/0012-leased-deliveries.ts';
import { untoldStates } from './migrations/0013-untold-states.ts';
import { missingBrowsers } from './migrations/0014-missing-browsers.ts';
import { tokensByAccount } from './migrations/0015-tokens-by-account.ts';
import { statusCodes } from './migrations/0016-status-codes.ts';
import { phases } from './migrations/0017-phases.ts';
import { finalResults } from './migrations/0018-final-results.ts';
import { lastPing } from './migrations/0019-last-ping.ts';
import { listeners } from './migrations/0020-listeners.ts';
import { firstRuns } from './migrations/0021-first-runs.ts';
import { lastReason } from './migrations/0022-last-reason.ts';
import { triggerCalls } from './migrations/0023-trigger-calls.ts';
import { checkVariables } from './migrations/0024-check-variables.ts';
import { operators } from './migrations/0025-operators.ts';
import { clientCertificates } from './migrations/0026-client-certificates.ts';
import { deliveryContents } from './migrations/0027-delivery-contents.ts';
import { failingNews } from './migrations/0028-failing-news.ts';
import { askedWait } from './migrations/0029-asked-wait.ts';
import { heldBackRuns } from './migrations/0030-held-back-runs.ts';

/** The schema's versions in order; the first is version 1. Never edit one that was released: add another. */
const migrations: readonly ((dialect: Dialect) => string[])[] = [
  firstSchema,
  processesTable,
  rollUps,
  accountMoves,
  cheapClaims,
  attemptsIndex,
  schedulesInStep,
  maintenanceWindows,
  reminders,
  heartbeats,
  resultAssets,
  leasedDeliveries,
  untoldStates,
  missingBrowsers,
  tokensByAccount,
  statusCodes,
  phases,
  finalResults,
  lastPing,
  listeners,
  firstRuns,
  lastReason,
  triggerCalls,
  checkVariables,
  operators,
  clientCertificates,
  deliveryContents,
  failingNews,
  askedWait,
  heldBackRuns,
];

/** The version that this program knows and needs. */
export const schemaVersion: number = migrations.length;

/** What is told of the schema before it is brought up to date; not of one that this process makes anew. */
export interface MigrationNews {
  /** null = another process is at it, and has been for a second. */
  readonly from: number | null;
  readonly to: number;
}

/** The database was written by a newer version of Tocsin. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
  constructor(found: number) {
    super(
      `the database has schema version ${found}, this version of Tocsin knows ${schemaVersion}: ` +
        `start the newer version again, or restore a backup taken before the update`,
    );
  }
}

/** The statements that lead from schema version `found` to the present one; throws NewerDatabaseError. */
export function migrationsFrom(found: number, dialect: Dialect): string[] {
  if (found > schemaVersion) throw new NewerDatabaseError(found);
  return migrations.slice(found).flatMap((migration) => migration(dialect));
}
