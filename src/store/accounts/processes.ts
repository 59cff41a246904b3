// The processes of an installation and their heartbeats.
import { deleteRows } from '../base/rows.ts';
import type { KnownLocation, ProcessSign } from '#domain/accounts/process.ts';
import { idBytes, idText, json, parsed } from '../base/codec.ts';
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
      const row = rowOf(process, clock.now());
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
      const rows = await reader.selectFrom('locations').selectAll().orderBy('code').execute();
      return rows.map(({ code, name, seen_at }) => ({ code, name, seenAt: seen_at }));
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
    .execute();
  await tx
    .insertInto('locations')
    .values({ code, name, seen_at: now })
    .onConflict((conflict) => conflict.column('code').doUpdateSet({ name, seen_at: now }))
    .execute();
}

function rowOf(process: Omit<ProcessSign, 'seenAt'>, seenAt: number): ProcessesTable {
  const {
    id,
    roles,
    version,
    location,
    host,
    pid,
    publicUrl,
    startedAt,
    holds,
    noBrowserSince,
    resolverDownSince,
    listeners,
    scriptsRefused,
    stalled,
    notices,
  } = process;
  return {
    id: idBytes(id),
    roles: json(roles),
    version,
    location: location.code,
    location_name: location.name,
    host,
    pid,
    public_url: publicUrl,
    started_at: startedAt,
    seen_at: seenAt,
    runs: holds.runs,
    deliveries: holds.deliveries,
    no_browser_since: noBrowserSince,
    resolver_down_since: resolverDownSince,
    listeners: json(listeners),
    scripts_refused: scriptsRefused,
    stalled: stalled.length === 0 ? null : json(stalled),
    notices: notices.length === 0 ? null : json(notices),
  };
}

function processOf(row: ProcessesTable): ProcessSign {
  return {
    id: idText(row.id),
    roles: parsed<string[]>(row.roles),
    version: row.version,
    location: { code: row.location, name: row.location_name },
    host: row.host,
    pid: row.pid,
    publicUrl: row.public_url,
    startedAt: row.started_at,
    seenAt: row.seen_at,
    holds: { runs: row.runs, deliveries: row.deliveries },
    noBrowserSince: row.no_browser_since,
    resolverDownSince: row.resolver_down_since,
    scriptsRefused: row.scripts_refused,
    stalled: row.stalled === null ? [] : parsed<string[]>(row.stalled),
    notices: row.notices === null ? [] : parsed<ProcessSign['notices']>(row.notices),
    listeners: row.listeners === null ? [] : parsed<ProcessSign['listeners']>(row.listeners),
  };
}
