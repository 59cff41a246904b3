// Deliveries as the API reads and changes them.
import { findRows, inAccount, selectRows } from '../base/rows.ts';
import type { Attempt, AttemptError, Delivery, DeliveryStatus } from '#domain/deliveries/delivery.ts';
import { firstIdAt, idBytes, idText, idTextOrNull, parsed } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Database, Page, Slice } from '../base/database.ts';
import { cancelDelivery, replayDelivery, replayLost, retryDelivery } from './delivery-changes.ts';
import { deliveryOf, type DeliveryRow, type StoredExchange } from './delivery-rows.ts';
import type { AttemptsTable, Db } from '../base/tables/schema.ts';
import { type IdRange, pageInSlices, type SlicedList } from '../base/slices.ts';

/** A delivery with its attempts, oldest first. */
export interface LoggedDelivery {
  readonly delivery: Delivery;
  readonly log: readonly Attempt[];
}

/** Filters. Times are epoch ms, inclusive. */
export interface DeliveryFilter {
  readonly alertChannelId?: number;
  readonly checkId?: string;
  readonly statuses?: readonly DeliveryStatus[];
  /** Only those in this digest. */
  readonly digestId?: string;
  readonly from?: number;
  readonly to?: number;
}

/** Reads and changes deliveries; the pipeline claims and settles them. */
export function createDeliveries(database: Database) {
  const { reader, clock } = database;
  return {
    /** Newest first. */
    async list(accountId: string, filter: DeliveryFilter, page: Slice): Promise<Page<LoggedDelivery>> {
      const { rows, total } = await pageInSlices(slicedDeliveries(database, accountId, filter), page);
      return { rows: await withLogs(reader, rows), total };
    },
    async find(accountId: string, id: string): Promise<LoggedDelivery | null> {
      const row = await withRequests(reader)
        .where('deliveries.account_id', '=', idBytes(accountId))
        .where('deliveries.id', '=', idBytes(id))
        .executeTakeFirst();
      return row === undefined ? null : ((await withLogs(reader, [row]))[0] ?? null);
    },
    /** Makes a pending delivery due now, unless an attempt is in progress. `done`, `no-delivery`, `ended`. */
    retry: (accountId: string, id: string) =>
      database.transaction((tx) => retryDelivery(tx, accountId, id, clock.now())),
    /** Cancels a pending delivery. `done`, `no-delivery`, `ended`, and `under-way` if an attempt has to end first. */
    cancel: (accountId: string, id: string) =>
      database.transaction((tx) => cancelDelivery(tx, accountId, id, clock.now())),
    /** Creates a new delivery with the stored request and the ID `newId`; or says why not. */
    replay: (accountId: string, id: string, newId: string) =>
      database.transaction((tx) => replayDelivery(tx, accountId, id, newId, clock.now())),
    /**
     * Replays every delivery of a channel that nobody received and that was created at `since` (epoch ms) or later and not replayed yet.
     * Returns their number; null = unknown channel.
     */
    replayLost: (accountId: string, alertChannelId: number, since: number) =>
      replayLost(database, accountId, alertChannelId, since),
  };
}

/** Deliveries with their requests. */
function withRequests(reader: Db) {
  return reader
    .selectFrom('deliveries')
    .leftJoin('delivery_requests', inAccount('delivery_requests.delivery_id', 'deliveries.id'))
    .selectAll('deliveries')
    .select('delivery_requests.request');
}

function slicedDeliveries(
  { reader, dialect }: Pick<Database, 'reader' | 'dialect'>,
  accountId: string,
  filter: DeliveryFilter,
): SlicedList<DeliveryRow> {
  const scoped = ({ from, before }: IdRange) => {
    let query = selectRows(reader, 'deliveries', { account_id: idBytes(accountId) });
    if (filter.alertChannelId !== undefined) query = query.where('alert_channel_id', '=', filter.alertChannelId);
    if (filter.digestId !== undefined) query = query.where('digest_id', '=', idBytes(filter.digestId));
    if (filter.from !== undefined) query = query.where('id', '>=', firstIdAt(filter.from));
    if (filter.to !== undefined) query = query.where('id', '<', firstIdAt(filter.to + 1));
    if (from !== null) query = query.where('id', '>=', from);
    return before === null ? query : query.where('id', '<', before);
  };
  const filtered = (range: IdRange) => {
    let query = scoped(range);
    if (filter.checkId !== undefined) query = query.where('check_id', '=', idBytes(filter.checkId));
    if (filter.statuses !== undefined) {
      query = query.where(
        'status',
        'in',
        filter.statuses.map((status) => deliveryStatusCodes.encode(status)),
      );
    }
    return query;
  };
  return {
    sliceSize: dialect.rowsAtOnce,
    recentFrom: null,
    async edge(before, size) {
      const ids = scoped({ from: null, before }).select('id').orderBy('id', 'desc');
      const row = await ids
        .limit(1)
        .offset(size - 1)
        .executeTakeFirst();
      return row?.id ?? null;
    },
    async count(range) {
      const counted = filtered(range).select((row) => row.fn.countAll<number>().as('rows'));
      return (await counted.executeTakeFirstOrThrow()).rows;
    },
    async rows(range, limit, offset) {
      const page = filtered(range).select('id').orderBy('id', 'desc').limit(limit).offset(offset);
      const ids = (await page.execute()).map(({ id }) => id);
      if (ids.length === 0) return [];
      return withRequests(reader)
        .where('deliveries.account_id', '=', idBytes(accountId))
        .where('deliveries.id', 'in', ids)
        .orderBy('deliveries.id', 'desc')
        .execute();
    },
  };
}

async function withLogs(reader: Db, rows: readonly DeliveryRow[]): Promise<LoggedDelivery[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const key = { account_id: first.account_id, delivery_id: rows.map(({ id }) => id) };
  const attempts = await findRows(reader, 'attempts', key, '*', ['delivery_id', 'position']);
  const logs = Map.groupBy(attempts.map(attemptOf), (attempt) => attempt.deliveryId);
  const digests = await digestStatuses(reader, rows);
  return rows.map((row) => {
    const digestStatus = digests.get(idTextOrNull(row.digest_id) ?? '');
    const delivery = { ...shownDelivery(row), ...(digestStatus !== undefined && { digestStatus }) };
    return { delivery, log: logs.get(idText(row.id)) ?? [] };
  });
}

/** The statuses of the digests of these deliveries. */
async function digestStatuses(reader: Db, rows: readonly DeliveryRow[]): Promise<ReadonlyMap<string, DeliveryStatus>> {
  const [first] = rows;
  const ids = new Map(rows.flatMap(({ digest_id: id }) => (id === null ? [] : [[idText(id), id]])));
  if (first === undefined || ids.size === 0) return new Map();
  const key = { account_id: first.account_id, id: [...ids.values()] };
  const found = await findRows(reader, 'deliveries', key, ['id', 'status']);
  return new Map(found.map(({ id, status }) => [idText(id), deliveryStatusCodes.decode(status)]));
}

/** During an attempt the column contains the end of its lease, which is not shown. */
function shownDelivery(row: DeliveryRow): Delivery {
  return row.leased_by === null ? deliveryOf(row) : { ...deliveryOf(row), nextAttemptAt: row.attempt_started_at };
}

function attemptOf(row: AttemptsTable): Attempt {
  const exchange = parsed<StoredExchange>(row.exchange);
  return {
    accountId: idText(row.account_id),
    deliveryId: idText(row.delivery_id),
    number: row.number,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    ...exchange,
    error:
      row.error_class === null ? null : { class: row.error_class as AttemptError, message: row.error_message ?? '' },
    nextAttemptAt: row.next_attempt_at,
  };
}
