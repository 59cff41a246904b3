// The overview of an account: its cached checks, and additional data for a page of them.
import { inAccount, selectRows } from '../base/rows.ts';
import { lostStatuses } from '#domain/deliveries/delivery-purpose.ts';
import { subscribersChannelId } from '#domain/deliveries/page-news.ts';
import type { DeliveryCounts, NewestResult, OverviewFigures } from '#domain/results/overview.ts';
import { firstIdAt, idBytes, idText } from '../base/codec.ts';
import { deliveryStatusCodes, outcomeCodes } from '../base/codes.ts';
import type { Database } from '../base/database.ts';
import { createGather } from '#lib/gather.ts';
import type { Clock } from '#lib/clock.ts';
import { createRecent } from '#lib/recent.ts';
import { dayMs } from '#domain/results/roll-up.ts';
import { breathe } from '../base/slices.ts';
import type { CheckHistory } from '../history/check-history.ts';
import { createOverviewChecks, type OverviewChecks, type TargetOf } from './overview-checks.ts';
import { createOverviewFigures, type FiguresReader } from './overview-figures.ts';

/** Maximum number of deliveries counted of each kind. */
const maxCounted = 10_000;
/** Rows per statement, because it blocks the event loop. */
const rowsAtOnce = 2000;
const [ratiosLastMs, countsLastMs] = [30_000, 5000];
/** Checks whose availability is cached, of all accounts together: about 100 bytes each. */
const maxRatios = 100_000;
const maxAccounts = 10_000;

interface Cached<Value> {
  readonly at: number;
  readonly value: Value;
}

export function createOverview(database: Database, history: CheckHistory) {
  const { reader, clock } = database;
  const readChecks = createOverviewChecks(database);
  const figures = createOverviewFigures(database, history);
  // Requests that arrive during a read share the next one.
  const gathers = new Map<
    string,
    { waiting: number; readonly read: (targetOf: TargetOf) => Promise<OverviewChecks> }
  >();
  const counts = createRecent<Cached<DeliveryCounts>>({ max: maxAccounts, sizeOf: () => 1 });
  return {
    /** All committed checks and maintenance windows. */
    async checks(accountId: string, targetOf: TargetOf): Promise<OverviewChecks> {
      const gather = gathers.get(accountId) ?? {
        waiting: 0,
        read: createGather<TargetOf, OverviewChecks>({
          max: Number.MAX_SAFE_INTEGER,
          write: async (all) => {
            const read = await readChecks(accountId, all[0] ?? targetOf);
            return all.map(() => read);
          },
        }),
      };
      gathers.set(accountId, gather);
      gather.waiting++;
      try {
        return await gather.read(targetOf);
      } finally {
        if (--gather.waiting === 0) gathers.delete(accountId);
      }
    },
    /** Metrics of some checks by ID. */
    figures: (accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, OverviewFigures>> =>
      figures.of(accountId, ids),
    /** Availability (0 to 1) of the last day by check ID, from roll-ups; up to half a minute old. */
    availabilities: rememberedRatios(figures, clock),
    /** Newest results by check ID. */
    newestResults: (accountId: string, ids: readonly string[]) => newestResults(database, accountId, ids),
    /** How often incidents of checks began or ended since then (epoch ms), by check ID; absent = never. */
    incidentChanges: (accountId: string, ids: readonly string[], since: number) =>
      incidentChanges(database, accountId, ids, since),
    /** Up to five seconds old. */
    async deliveries(accountId: string): Promise<DeliveryCounts> {
      const known = counts.get(accountId);
      const now = clock.now();
      if (known !== undefined && now - known.at < countsLastMs && now >= known.at) return known.value;
      const value = await countDeliveries({ reader }, accountId, now);
      counts.set(accountId, { at: now, value });
      return value;
    },
  };
}

/** Availability of all checks of an account: slightly old data is returned while it is being refreshed. */
function rememberedRatios(figures: FiguresReader, clock: Clock) {
  const ratios = createRecent<Cached<ReadonlyMap<string, number>>>({
    max: maxRatios,
    sizeOf: ({ value }) => Math.min(maxRatios, Math.max(1, value.size)),
  });
  const running = new Map<string, Promise<ReadonlyMap<string, number>>>();
  // One account at a time, because reading thousands of roll-ups loads the database.
  let tick: Promise<unknown> = Promise.resolve();
  const refresh = (accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const known = running.get(accountId);
    if (known !== undefined) return known;
    const reading = tick.then(async () => {
      const value = await figures.ratios(accountId, ids);
      ratios.set(accountId, { at: clock.now(), value });
      return value;
    });
    running.set(accountId, reading);
    tick = reading.catch(() => undefined).then(() => running.delete(accountId));
    return reading;
  };
  return async (accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const known = ratios.get(accountId);
    if (known === undefined) return refresh(accountId, ids);
    if (clock.now() - known.at > ratiosLastMs) refresh(accountId, ids).catch(() => undefined);
    return known.value;
  };
}

async function newestResults(
  { reader, dialect }: Pick<Database, 'reader' | 'dialect'>,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NewestResult>> {
  if (ids.length === 0) return new Map();
  const rows = await reader
    .selectFrom('check_states')
    .innerJoin('results', (join) =>
      join
        .onRef('results.account_id', '=', 'check_states.account_id')
        .onRef('results.check_id', '=', 'check_states.check_id')
        .onRef('results.id', '=', 'check_states.last_result_id'),
    )
    .leftJoin('heartbeats', inAccount('heartbeats.check_id', 'check_states.check_id'))
    .select([
      'heartbeats.pinged_at',
      'results.check_id',
      'results.id',
      'results.outcome',
      'results.started_at',
      'results.response_us',
      'results.location',
      'results.message',
    ])
    .where('check_states.account_id', '=', idBytes(accountId))
    .where(dialect.idIn('check_states.check_id', ids.map(idBytes)))
    .execute();
  return new Map(
    rows.map((row) => [
      idText(row.check_id),
      {
        id: idText(row.id),
        outcome: outcomeCodes.decode(row.outcome),
        startedAt: row.started_at,
        responseTimeMs: row.response_us === null ? null : row.response_us / 1000,
        location: row.location,
        message: row.message,
        pingedAt: row.pinged_at,
      },
    ]),
  );
}

async function incidentChanges(
  { reader, dialect }: Pick<Database, 'reader' | 'dialect'>,
  accountId: string,
  ids: readonly string[],
  since: number,
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await selectRows(reader, 'incidents', { account_id: idBytes(accountId) })
    .select(({ fn }) => ['check_id', fn.countAll<number>().as('begun'), fn.count<number>('ended_at').as('ended')])
    .where(dialect.idIn('check_id', ids.map(idBytes)))
    .where('id', '>=', firstIdAt(since))
    .groupBy('check_id')
    .execute();
  return new Map(rows.map(({ check_id: id, begun, ended }) => [idText(id), begun + ended]));
}

/** Codes of the statuses of deliveries that nobody received. */
const isLost: ReadonlySet<number> = new Set(lostStatuses.map((status) => deliveryStatusCodes.encode(status)));

async function countDeliveries(
  { reader }: Pick<Database, 'reader'>,
  accountId: string,
  now: number,
): Promise<DeliveryCounts> {
  const account = idBytes(accountId);
  const waiting = selectRows(reader, 'deliveries', {
    account_id: account,
    status: deliveryStatusCodes.encode('pending'),
  })
    .select('attempts')
    .where('alert_channel_id', '<>', subscribersChannelId)
    .limit(maxCounted);
  const { all, retrying } = await reader
    .selectFrom(waiting.as('waiting'))
    .select(({ fn, eb }) => [
      fn.countAll<number>().as('all'),
      fn.coalesce(fn.sum<number>(eb.case().when('attempts', '>', 0).then(1).else(0).end()), eb.lit(0)).as('retrying'),
    ])
    .executeTakeFirstOrThrow();
  let lost24h = 0;
  let after: Uint8Array = firstIdAt(now - dayMs);
  for (let size = rowsAtOnce; size === rowsAtOnce && lost24h < maxCounted;) {
    const some = selectRows(reader, 'deliveries', { account_id: account })
      .select(['id', 'status', 'alert_channel_id'])
      .where('id', '>=', after)
      .orderBy('id')
      .limit(rowsAtOnce);
    const rows = await some.execute();
    size = rows.length;
    // The last row of a slice is the start of the next one.
    const counted = size === rowsAtOnce ? rows.slice(0, -1) : rows;
    // Addresses of subscribers are wrong now and then: these are no alerts.
    lost24h += counted.filter((row) => isLost.has(row.status) && row.alert_channel_id !== subscribersChannelId).length;
    after = rows.at(-1)?.id ?? after;
    await breathe();
  }
  return { pending: all - retrying, retrying, exhausted24h: Math.min(lost24h, maxCounted) };
}
