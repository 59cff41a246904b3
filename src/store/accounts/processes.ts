// The processes of an installation and their heartbeats.
import { recordMapping } from '../base/records.ts';
import { deleteRows } from '../base/rows.ts';
import type { KnownLocation, ProcessSign } from '#domain/accounts/process.ts';
import { idBytes, idText, json, parsedOrNull } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { ProcessesTable } from '../base/tables/installation-tables.ts';
import type { Db } from '../base/tables/schema.ts';

const forgottenAfterMs = 600_000;
const locationForgottenAfterMs = 30 * 86_400_000;

/** The processes that use this database. */
export function createProcesses({ reader, transaction, clock }: Database) {
  return {
    /**
     * Writes a heartbeat durably; deletes processes that have been silent for ten minutes, and locations without a runner
     * for 30 days.
     */
    async sign(process: Omit<ProcessSign, 'seenAt'>): Promise<void> {
      const row = rowOf({ ...process, seenAt: clock.now() });
      const { id: _, ...changed } = row;
      await transaction(async (tx) => {
        await tx
          .insertInto('processes')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet(changed))
          .execute();
      });
      // Separate from the heartbeat: after a silence of all processes, each would hold its own row and wait for the
      // others'.
      await transaction(async (tx) => {
        await tx
          .deleteFrom('processes')
          .where('seen_at', '<', row.seen_at - forgottenAfterMs)
          .execute();
        if (process.roles.includes('runner')) await seeLocation(tx, process.location, row.seen_at);
      });
    },
    /** Processes that sent a heartbeat in the last ten minutes and did not shut down, ordered by start time. */
    async list(): Promise<ProcessSign[]> {
      const rows = await reader
        .selectFrom('processes')
        .selectAll()
        .where('seen_at', '>=', clock.now() - forgottenAfterMs)
        .orderBy('started_at')
        .orderBy('id')
        .execute();
      return rows.map(processOf);
    },
    /** Locations that have or had a runner, by code. */
    async locations(): Promise<KnownLocation[]> {
      const rows = await reader.selectFrom('locations').selectAll().where('seen_at', '>', 0).orderBy('code').execute();
      return rows.map(({ code, name, owner_id, seen_at }) => {
        return { code, name, seenAt: seen_at, ownerId: owner_id === null ? null : idText(owner_id) };
      });
    },
    /** Accounts whose private locations some codes are or were; codes that all accounts share are left out. */
    async owners(codes: readonly string[]): Promise<ReadonlyMap<string, string>> {
      if (codes.length === 0) return new Map();
      const rows = await reader
        .selectFrom('locations')
        .select(['code', 'owner_id'])
        .where('code', 'in', codes)
        .execute();
      return new Map(rows.flatMap(({ code, owner_id }) => (owner_id === null ? [] : [[code, idText(owner_id)]])));
    },
    /** Removes a process that shuts down. */
    leave: (id: string): Promise<void> =>
      transaction(async (tx) => {
        await deleteRows(tx, 'processes', { id: idBytes(id) });
      }),
  };
}

async function seeLocation(tx: Db, { code, name }: ProcessSign['location'], now: number): Promise<void> {
  await tx
    .deleteFrom('locations')
    .where('seen_at', '<', now - locationForgottenAfterMs)
    .where('is_claimed', '=', 0)
    .execute();
  await tx
    .insertInto('locations')
    .values({ code, name, owner_id: null, is_claimed: 0, seen_at: now })
    .onConflict((conflict) => conflict.column('code').doUpdateSet({ name, seen_at: now }))
    .execute();
}

const mapping = recordMapping<
  Omit<ProcessSign, 'location' | 'holds' | 'stalled' | 'notices' | 'listeners'>,
  'processes'
>({
  id: 'id',
  roles: 'json',
  version: 'plain',
  host: 'plain',
  pid: 'plain',
  publicUrl: 'plain',
  startedAt: 'plain',
  seenAt: 'plain',
  noBrowserSince: 'plain',
  resolverDownSince: 'plain',
  scriptsRefused: 'plain',
});

function rowOf(process: ProcessSign): ProcessesTable {
  const { location, holds, stalled, notices } = process;
  return {
    ...mapping.rowOf(process),
    ...holds,
    location: location.code,
    location_name: location.name,
    listeners: json(process.listeners),
    stalled: stalled.length === 0 ? null : json(stalled),
    notices: notices.length === 0 ? null : json(notices),
  };
}

function processOf(row: ProcessesTable): ProcessSign {
  return {
    ...mapping.recordOf(row),
    location: { code: row.location, name: row.location_name },
    holds: { runs: row.runs, deliveries: row.deliveries },
    stalled: parsedOrNull<string[]>(row.stalled) ?? [],
    notices: parsedOrNull<ProcessSign['notices']>(row.notices) ?? [],
    listeners: parsedOrNull<ProcessSign['listeners']>(row.listeners) ?? [],
  };
}
