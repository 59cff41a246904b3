// Notes changes of status pages that subscribers are notified of, from what is published of them.
import { type MaintenanceWindow, nextOccurrence } from '#domain/checks/maintenance-window.ts';
import type { AccountFacts } from '#domain/status-pages/build-snapshot.ts';
import { maintenanceChanges, updateChanges } from '#domain/status-pages/page-changes.ts';
import type { PageSnapshot, PublicMaintenance } from '#domain/status-pages/page-snapshot.ts';
import type { StatusIncident } from '#domain/status-pages/status-incident.ts';
import type { StatusPage } from '#domain/status-pages/status-page.ts';
import type { Store } from '#store/store.ts';

export interface NoteChangesFacts extends Pick<AccountFacts, 'now' | 'occurrenceId'> {
  readonly incidents: readonly StatusIncident[];
  /** All windows of the account. */
  readonly windows: readonly MaintenanceWindow[];
}

/** Prepares to note the changes of pages of an account; the result notes those of one page. */
export async function createNoteChanges(
  { pageChanges }: Pick<Store, 'pageChanges'>,
  accountId: string,
  { now, incidents, windows, occurrenceId }: NoteChangesFacts,
): Promise<(page: StatusPage, snapshot: PageSnapshot) => Promise<void>> {
  const open = Map.groupBy(await pageChanges.openMaintenance(accountId, now), ({ pageId }) => pageId);
  const updates = new Map(incidents.flatMap((incident) => incident.updates.map((update) => [update.id, update])));
  const isHeld = ({ id, startsAt }: PublicMaintenance): boolean =>
    windows.some(
      (window) => occurrenceId(window, startsAt) === id && nextOccurrence(window, startsAt)?.from === startsAt,
    );
  return async (page, snapshot) => {
    const noticed = [
      ...updateChanges(snapshot, updates),
      ...maintenanceChanges(snapshot, open.get(page.id) ?? [], isHeld),
    ];
    if (noticed.length === 0) return;
    const subjects = noticed.map(({ subject }) => subject);
    const unknown = await pageChanges.newOf(accountId, page.id, subjects);
    const changes = noticed.filter(({ subject }) => unknown.has(subject));
    if (changes.length === 0) return;
    // Of a draft, nothing is sent, also not later.
    await pageChanges.note({ accountId, pageId: page.id }, changes, page.isPublished, now);
  };
}
