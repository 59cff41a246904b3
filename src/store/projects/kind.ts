// What the store knows of a type of resources: how a deployment reads, writes and removes its rows.
import type { RawBuilder } from 'kysely';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { PrivateLocation } from '#domain/locations/private-location.ts';
import type { Snippet } from '#domain/scripts/snippet.ts';
import type { MaintenanceWindow } from '#domain/checks/maintenance-window.ts';
import type { StatusPage, StatusPageWrite } from '#domain/status-pages/status-page.ts';
import type { StatusService, StatusServiceWrite } from '#domain/status-pages/status-service.ts';
import type { ResourceType } from '#domain/projects/resource.ts';
import type { StoredVariable } from '../accounts/variables.ts';
import type { CountedLimit } from '../base/account-limits.ts';
import type { Database } from '../base/database.ts';
import type { Db, Tables } from '../base/tables/schema.ts';
import type { StoredChannel } from '../channels/alert-channels.ts';
import type { GroupWrite, StoredGroup } from '../checks/check-groups.ts';
import type { CheckWrite, StoredCheck } from '../checks/checks.ts';
import type { LocationWrite } from '../locations/private-locations.ts';
import type { SnippetWrite } from '../scripts/snippets.ts';
import type { NewWindow } from '../checks/maintenance-windows.ts';
import type { PageImages, StoredImages } from '../status-pages/status-pages.ts';

/** The records of each type: as stored, and as a deployment writes them. They have their IDs. */
export interface ResourceRecords {
  readonly variable: { readonly stored: StoredVariable; readonly write: EnvironmentVariable };
  readonly 'private-location': { readonly stored: PrivateLocation; readonly write: LocationWrite };
  readonly snippet: { readonly stored: Snippet; readonly write: SnippetWrite };
  readonly 'alert-channel': { readonly stored: StoredChannel; readonly write: AlertChannel };
  readonly 'check-group': { readonly stored: StoredGroup; readonly write: GroupWrite };
  readonly check: { readonly stored: StoredCheck; readonly write: CheckWrite };
  readonly 'maintenance-window': { readonly stored: MaintenanceWindow; readonly write: NewWindow };
  readonly 'status-service': { readonly stored: StatusService; readonly write: StatusServiceWrite };
  readonly 'status-page': {
    readonly stored: { readonly page: StatusPage; readonly images: StoredImages };
    readonly write: { readonly page: StatusPageWrite; readonly images: PageImages };
  };
}

/** A row that a deployment removes. */
export interface ResourceRemoval<Type extends ResourceType = ResourceType> {
  readonly physicalId: string;
  readonly stored: ResourceRecords[Type]['stored'];
}

/** A row that a deployment writes. */
export interface ResourceWrite<Type extends ResourceType = ResourceType> {
  readonly logicalId: string;
  readonly physicalId: string;
  /** null = it is new. */
  readonly stored: ResourceRecords[Type]['stored'] | null;
  readonly write: ResourceRecords[Type]['write'];
}

/** Why a write is not possible: a field that names nothing, or a cycle of dependencies. */
export interface ResourceFault {
  readonly logicalId: string;
  readonly path: string;
  readonly message: string;
}

/** A transaction of a deployment. */
export interface DeployContext {
  readonly database: Database;
  readonly accountId: string;
  /** Epoch ms. */
  readonly now: number;
}

export interface StoredKind<Type extends ResourceType> {
  readonly table: keyof Tables;
  readonly limit: CountedLimit;
  /** Column of the physical ID, and its value. */
  readonly column: string;
  readonly keyOf: (physicalId: string) => unknown;
  /** Stored bytes of a row; null = its rows are small. */
  readonly bytes: RawBuilder<number> | null;
  /** Name of the counter of its numbers; null = its IDs are no numbers. */
  readonly counter: string | null;
  /** Present records by physical ID; unknown ones are left out. */
  read(
    db: Db,
    database: Database,
    accountId: string,
    physicalIds: readonly string[],
  ): Promise<Map<string, ResourceRecords[Type]['stored']>>;
  /** Gives up names that only one row may have, of rows that are changed or removed, before any is written. */
  release?(tx: Db, accountId: string, physicalIds: readonly string[]): Promise<void>;
  /** Writes new and changed rows. A fault must undo the transaction. */
  save(tx: Db, context: DeployContext, writes: readonly ResourceWrite<Type>[]): Promise<ResourceFault | null>;
  /** Removes rows, or begins to. */
  remove(tx: Db, context: DeployContext, removals: readonly ResourceRemoval<Type>[]): Promise<void>;
}

/** Reads the records of IDs one by one; for types of which an account has few. */
export async function readEach<Stored>(
  physicalIds: readonly string[],
  find: (physicalId: string) => Promise<Stored | null>,
): Promise<Map<string, Stored>> {
  const found = new Map<string, Stored>();
  for (const id of physicalIds) {
    const one = await find(id);
    if (one !== null) found.set(id, one);
  }
  return found;
}

/** The fault of a record with an unknown reference. */
export function danglingFault(logicalId: string, outcome: object): ResourceFault | null {
  if ('dangling' in outcome && typeof outcome.dangling === 'string')
    return { logicalId, path: outcome.dangling, message: 'names something that does not exist in this account' };
  if ('cycle' in outcome && Array.isArray(outcome.cycle))
    return { logicalId, path: 'dependsOn', message: `forms a cycle: ${outcome.cycle.join(' → ')}` };
  return null;
}
