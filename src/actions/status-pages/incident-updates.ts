// Actions on updates of incidents of status pages (reference §4.7).
import type { Caller } from '#domain/accounts/api-key.ts';
import {
  type IncidentUpdate,
  longestIncident,
  mostUpdates,
  type StatusIncident,
} from '#domain/status-pages/status-incident.ts';
import type { ChangeProgress } from '#domain/status-pages/page-changes.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import type { Store } from '#store/store.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound, Refusal } from '../refusal.ts';

/** An update in a request. */
export interface UpdateInput extends Pick<IncidentUpdate, 'status' | 'description' | 'notifySubscribers'> {
  /** Epoch ms; null = now, or as it is. */
  readonly publicAt: number | null;
}

/** An update, and how far its notification is. */
export interface ShownUpdate extends IncidentUpdate {
  /** null = no notifications; absent = not requested. */
  readonly notified?: ChangeProgress | null;
}

export interface IncidentUpdateDeps {
  readonly pageChanges: Pick<Store['pageChanges'], 'progress'>;
  readonly statusIncidents: Pick<Store['statusIncidents'], 'find' | 'saveUpdate' | 'removeUpdate'>;
  readonly clock: Clock;
}

/** Updates with how far their notifications are. */
export async function withProgress(
  pageChanges: Pick<Store['pageChanges'], 'progress'>,
  accountId: string,
  updates: readonly IncidentUpdate[],
): Promise<ShownUpdate[]> {
  const progress = await pageChanges.progress(
    accountId,
    updates.map(({ id }) => id),
  );
  return updates.map((update) => ({ ...update, notified: progress.get(update.id) ?? null }));
}

export type IncidentUpdateActions = ReturnType<typeof createIncidentUpdateActions>;

/** The update that a request describes. @param now epoch ms */
export function newUpdate({ publicAt, ...input }: UpdateInput, now: number): IncidentUpdate {
  return { ...input, id: newId(), publicAt: publicAt ?? now, createdAt: now };
}

function full(): Refusal {
  const most = `${mostUpdates} updates and ${longestIncident.toLocaleString('en-US')} characters, with its postmortem`;
  return new Refusal('conflict', `An incident has at most ${most}. Shorten its texts, or create another one.`);
}

/** IDs of other accounts are refused like unknown IDs: `not-found`. */
export function createIncidentUpdateActions({ statusIncidents, pageChanges, clock }: IncidentUpdateDeps) {
  const find = async ({ accountId }: Caller, id: string): Promise<StatusIncident> => {
    const found = await statusIncidents.find(accountId, id);
    if (found === null) throw notFound('incident', id);
    return found;
  };
  const findUpdate = async (caller: Caller, id: string, updateId: string): Promise<ShownUpdate> => {
    const updates = (await find(caller, id)).updates.filter((each) => each.id === updateId);
    const [update] = await withProgress(pageChanges, caller.accountId, updates);
    if (update === undefined) throw notFound('update', updateId);
    return update;
  };
  return {
    /** Oldest first. */
    async list(caller: Caller, id: string): Promise<readonly ShownUpdate[]> {
      requirePermission(caller, 'read');
      return withProgress(pageChanges, caller.accountId, (await find(caller, id)).updates);
    },
    async find(caller: Caller, id: string, updateId: string): Promise<ShownUpdate> {
      requirePermission(caller, 'read');
      return findUpdate(caller, id, updateId);
    },
    /** Refuses (`conflict`) more updates or text than an incident can have. */
    async add(caller: Caller, id: string, input: UpdateInput): Promise<ShownUpdate> {
      requirePermission(caller, 'write');
      const update = newUpdate(input, clock.now());
      const saved = await statusIncidents.saveUpdate(caller.accountId, id, update);
      if (saved === null) throw notFound('incident', id);
      if (saved === 'full') throw full();
      return update;
    },
    /** Keeps fields that are not given. */
    async change(
      caller: Caller,
      id: string,
      updateId: string,
      edit: (present: IncidentUpdate) => UpdateInput,
    ): Promise<ShownUpdate> {
      requirePermission(caller, 'write');
      const present = await findUpdate(caller, id, updateId);
      const input = edit(present);
      const update = { ...present, ...input, publicAt: input.publicAt ?? present.publicAt };
      const saved = await statusIncidents.saveUpdate(caller.accountId, id, update);
      if (saved === null) throw notFound('incident', id);
      if (saved === 'full') throw full();
      return update;
    },
    /** Refuses (`conflict`) the only update. */
    async remove(caller: Caller, id: string, updateId: string): Promise<void> {
      requirePermission(caller, 'write');
      const left = await statusIncidents.removeUpdate(caller.accountId, id, updateId);
      if (left === null) throw notFound('update', updateId);
      if (left === 'last')
        throw new Refusal('conflict', 'An incident needs an update. Change this one, or delete the incident.');
    },
  };
}
