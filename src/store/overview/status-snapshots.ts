// What is published of status pages: one row per page, which processes that serve visitors take up.
import type { CheckState, CheckStatus } from '#domain/checks/check-state.ts';
import type { PagePublisher, PageSnapshot } from '#domain/status-pages/page-snapshot.ts';
import type { StatusPage } from '#domain/status-pages/status-page.ts';
import { idBytes, idText, parsedOrNull } from '../base/codec.ts';
import { compressed, decompressed } from '../base/compressed.ts';
import { type Database, ownedBy } from '../base/database.ts';
import { readFact, replaceFact } from '../base/installation-fact.ts';
import type { StatusPageSnapshotsTable } from '../base/tables/status-page-tables.ts';
import { findRow, findRows, inAccount, replaceRows, selectRows } from '../base/rows.ts';
import { breathe } from '../base/slices.ts';
import { accountRevision, stateRevisions } from '../history/state-revisions.ts';
import { pageOf, readImages, type StoredImages } from '../status-pages/status-pages.ts';

/** Which snapshot a page has. */
export interface SnapshotKey {
  readonly accountId: string;
  readonly pageId: string;
  /** Epoch ms. */
  readonly builtAt: number;
  /** Tells one content from another, whatever its time. */
  readonly fingerprint: string;
}

/** A snapshot, and what tells who may see it. */
export interface StoredSnapshot extends Pick<StatusPage, 'url' | 'isPublished' | 'visibility' | 'passwordHash'> {
  /** See `decodeSnapshot`. */
  readonly content: Uint8Array;
  readonly images: StoredImages;
}

/** The snapshot of stored content. Large ones take some time: threads decode them. */
export function decodeSnapshot(content: Uint8Array): PageSnapshot {
  return decompressed<PageSnapshot>(content);
}

const publisherKey = 'page-publisher';
/** Checks per statement. */
const checksAtOnce = 500;

export function createStatusSnapshots(database: Database) {
  const { reader, transaction } = database;
  return {
    /** Those of all pages of the installation, with the time when their page was changed, epoch ms; 0 = never. */
    async list(): Promise<(SnapshotKey & { readonly changedAt: number })[]> {
      const rows = await reader
        .selectFrom('status_page_snapshots')
        .innerJoin('status_pages', inAccount('status_pages.id', 'status_page_snapshots.page_id'))
        .select(['status_page_snapshots.account_id', 'page_id', 'built_at', 'fingerprint', 'updated_at'])
        .execute();
      return rows.map(({ account_id: accountId, page_id: pageId, built_at: builtAt, fingerprint, ...row }) => {
        const changedAt = row.updated_at ?? 0;
        return { accountId: idText(accountId), pageId: idText(pageId), builtAt, fingerprint, changedAt };
      });
    },
    /** Those of an account, by page. */
    async ofAccount(accountId: string): Promise<Map<string, Omit<SnapshotKey, 'accountId' | 'pageId'>>> {
      const columns = ['page_id', 'built_at', 'fingerprint'] as const;
      const rows = await findRows(reader, 'status_page_snapshots', ownedBy(accountId), columns);
      return new Map(
        rows.map(({ page_id: id, built_at: builtAt, fingerprint }) => [idText(id), { builtAt, fingerprint }]),
      );
    },
    /** IDs of the accounts that have pages, in order. */
    async accounts(): Promise<string[]> {
      const rows = await reader
        .selectFrom('status_pages')
        .select('account_id')
        .distinct()
        .orderBy('account_id')
        .execute();
      return rows.map(({ account_id: accountId }) => idText(accountId));
    },
    /** Numbers that change with the account's resources and with the states of its checks. */
    revisions: async (accountId: string): Promise<string> =>
      `${await accountRevision(reader, accountId)}/${await stateRevisions(reader, accountId)}`,
    /** The newest statuses of checks by location, by ID, of those that run in several. */
    locations: (accountId: string, checkIds: readonly string[]) => readLocations(database, accountId, checkIds),
    /** Which process builds snapshots; null = none ever did. */
    publisher: (): Promise<PagePublisher | null> => readFact<PagePublisher>(reader, publisherKey),
    /** false = another process was first. */
    movePublisher: (before: PagePublisher | null, after: PagePublisher): Promise<boolean> =>
      transaction((tx) => replaceFact(tx, publisherKey, before, after)),
    /** What was built last of a page; null = unknown page, or nothing was built yet. */
    async snapshot(accountId: string, pageId: string): Promise<PageSnapshot | null> {
      const key = { ...ownedBy(accountId), page_id: idBytes(pageId) };
      const row = await findRow(reader, 'status_page_snapshots', key, ['content']);
      return row === undefined ? null : decodeSnapshot(row.content);
    },
    /** null = unknown page, or nothing was built yet. */
    async read(accountId: string, pageId: string): Promise<StoredSnapshot | null> {
      const own = ownedBy(accountId);
      const page = await findRow(reader, 'status_pages', { ...own, id: idBytes(pageId) });
      const row = await findRow(reader, 'status_page_snapshots', { ...own, page_id: idBytes(pageId) }, ['content']);
      if (page === undefined || row === undefined) return null;
      const { url, isPublished, visibility, passwordHash } = pageOf(page);
      const images = (await readImages(reader, accountId, [pageId])).get(pageId) ?? {};
      return { content: row.content, images, url, isPublished, visibility, passwordHash };
    },
    /** Replaces the snapshots of pages of an account; those of pages that were removed meanwhile are left out. */
    write: (accountId: string, built: readonly BuiltSnapshot[]) => writeSnapshots(database, accountId, built),
  };
}

/** A snapshot that was built. */
type BuiltSnapshot = Pick<SnapshotKey, 'fingerprint'> & { readonly snapshot: PageSnapshot };

async function writeSnapshots(
  { transaction }: Database,
  accountId: string,
  built: readonly BuiltSnapshot[],
): Promise<void> {
  const own = ownedBy(accountId);
  const rows: StatusPageSnapshotsTable[] = [];
  for (const { fingerprint, snapshot } of built) {
    // Building and compressing a large one take some time each.
    await breathe();
    const content = compressed(snapshot);
    rows.push({ ...own, page_id: idBytes(snapshot.page.id), built_at: snapshot.builtAt, fingerprint, content });
  }
  await transaction(async (tx) => {
    const ids = rows.map(({ page_id: id }) => id);
    const present = await findRows(tx, 'status_pages', { ...own, id: ids }, ['id']);
    const known = new Set(present.map(({ id }) => idText(id)));
    const kept = rows.filter(({ page_id: id }) => known.has(idText(id)));
    await replaceRows(tx, 'status_page_snapshots', ['account_id', 'page_id'], kept);
  });
}

async function readLocations(
  { reader, dialect }: Database,
  accountId: string,
  checkIds: readonly string[],
): Promise<Map<string, CheckStatus[]>> {
  const found = new Map<string, CheckStatus[]>();
  for (let from = 0; from < checkIds.length; from += checksAtOnce) {
    if (from > 0) await breathe();
    const ids = checkIds.slice(from, from + checksAtOnce).map(idBytes);
    const rows = await selectRows(reader, 'check_states', ownedBy(accountId))
      .select(['check_id', 'by_location'])
      .where('by_location', 'is not', null)
      .where(dialect.idIn('check_id', ids))
      .execute();
    for (const { check_id: id, by_location: text } of rows) {
      const ofLocations = parsedOrNull<CheckState['byLocation']>(text) ?? {};
      found.set(
        idText(id),
        Object.values(ofLocations).map(({ status }) => status),
      );
    }
  }
  return found;
}
