// The state of copies of status pages outside of this installation, and the pages that may be copied.
import type { CopiedPage, CopyPlaceName, PageCopiesState } from '#domain/status-pages/page-copies.ts';
import { flag, idText } from '../base/codec.ts';
import type { Db } from '../base/tables/schema.ts';
import type { Database } from '../base/database.ts';
import { readFact, replaceFact } from '../base/installation-fact.ts';
import { inAccount } from '../base/rows.ts';

const keyOf = (place: CopyPlaceName): string => `page-copies-${place}`;

export function readPageCopies(db: Db, place: CopyPlaceName): Promise<PageCopiesState | null> {
  return readFact<PageCopiesState>(db, keyOf(place));
}

export function createPageCopies({ reader, transaction }: Database) {
  return {
    /** null = no process ever made copies there. */
    state: (place: CopyPlaceName): Promise<PageCopiesState | null> => readPageCopies(reader, place),
    /** Replaces the state; false = another process was first. */
    move: (place: CopyPlaceName, before: PageCopiesState | null, after: PageCopiesState): Promise<boolean> =>
      transaction((tx) => replaceFact(tx, keyOf(place), before, after)),
    /** Pages of the installation that are no drafts, at the addresses that are their own. */
    async pages(): Promise<CopiedPage[]> {
      const rows = await reader
        .selectFrom('status_page_snapshots')
        .innerJoin('status_pages', inAccount('status_pages.id', 'status_page_snapshots.page_id'))
        .innerJoin('status_page_addresses', (join) =>
          join
            .onRef('status_page_addresses.owner_id', '=', 'status_pages.account_id')
            .onRef('status_page_addresses.page_id', '=', 'status_pages.id'),
        )
        .select([
          'status_page_snapshots.account_id',
          'status_page_snapshots.page_id',
          'built_at',
          'fingerprint',
          'status_pages.updated_at',
          'address',
        ])
        .where('status_pages.is_published', '=', flag(true))
        .where('address', 'like', `${pathPrefix}%`)
        .execute();
      return rows.map((row) => ({
        accountId: idText(row.account_id),
        pageId: idText(row.page_id),
        url: row.address.slice(pathPrefix.length),
        builtAt: row.built_at,
        fingerprint: row.fingerprint,
        changedAt: row.updated_at ?? 0,
      }));
    },
  };
}

const pathPrefix = 'path:';
