// Reports on accounts: the facts that only they need, and their deliveries (docs/decisions/0130).
import { selectRows, updateRows } from '../base/rows.ts';
import type { TimeSpan } from '#domain/checks/calendar.ts';
import { type Delivery, newDelivery } from '#domain/deliveries/delivery.ts';
import {
  type AccountReport,
  listedInReport,
  type ReportedIncident,
  type ReportSchedule,
} from '#domain/results/account-report.ts';
import { dayMs } from '#domain/results/roll-up.ts';
import { newId } from '#lib/id.ts';
import { firstIdAt, type IdBytes, idBytes, idText, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { breathe } from '../base/slices.ts';
import type { IncidentsTable } from '../base/tables/incident-tables.ts';
import type { Db } from '../base/tables/schema.ts';
import { insertDeliveries } from './failing-channels.ts';
import { countInHour } from './sending-quotas.ts';

/** A channel whose report is due. */
export interface DueReport {
  readonly accountId: string;
  readonly alertChannelId: number;
  readonly schedule: ReportSchedule;
  /** Epoch ms. */
  readonly dueAt: number;
}

/** Incidents of an account that were opened in a time range. */
export interface ReportIncidents {
  readonly total: number;
  /** By check ID. */
  readonly counts: ReadonlyMap<string, number>;
  /** The longest, also of those that are still open and were opened before. */
  readonly longest: readonly ReportedIncident[];
}

/** Rows per statement, because it blocks the event loop. */
const rowsAtOnce = 2000;
/** Longer than any period: a report that is due later got its time before the clock was set back. */
const maxAheadMs = 40 * dayMs;
/** Incidents that are counted at most. */
const maxCounted = 100_000;

export function createAccountReports(database: Database) {
  const { reader, transaction } = database;
  return {
    /** @param only the checks whose incidents count; null = all, deleted ones included */
    incidents: (accountId: string, span: TimeSpan, only: ReadonlySet<string> | null = null) =>
      readIncidents(database, idBytes(accountId), span, only),
    /** Of all accounts, longest due first, then those of a time that no schedule gives. @param now epoch ms */
    async due(now: number, max: number): Promise<readonly DueReport[]> {
      const rows = await reader
        .selectFrom('alert_channels')
        .select(['account_id', 'id', 'report', 'report_at'])
        .where((row) => row.or([row('report_at', '<=', now), row('report_at', '>', now + maxAheadMs)]))
        .orderBy('report_at')
        .limit(max)
        .execute();
      return rows.flatMap(({ account_id, id, report, report_at: dueAt }) =>
        report === null || dueAt === null
          ? []
          : [{ accountId: idText(account_id), alertChannelId: id, schedule: parsed<ReportSchedule>(report), dueAt }],
      );
    },
    /**
     * Adds the delivery of a report and sets when the next one is due, in one transaction.
     * @returns false = another process was first, or the channel was changed
     */
    send: (due: DueReport, report: AccountReport, nextAt: number, now: number) =>
      transaction(async (tx) => {
        if (!(await moveReport(tx, due, nextAt))) return false;
        await insertDeliveries(tx, [deliveryOf(due, report, now)]);
        return true;
      }),
    /** Adds the delivery of a report on request; null = the account already sent `max` in this hour. `now`: epoch ms. */
    sendNow: (
      accountId: string,
      alertChannelId: number,
      report: AccountReport,
      { now, max }: { readonly now: number; readonly max: number },
    ): Promise<Delivery | null> =>
      transaction(async (tx) => {
        if (!(await countInHour(tx, { accountId, noun: 'sent-report', now }, max))) return null;
        const delivery = deliveryOf({ accountId, alertChannelId }, report, now);
        await insertDeliveries(tx, [delivery]);
        return delivery;
      }),
    /** Sets when a report is due instead, epoch ms, unless it was sent or its channel was changed. */
    postpone: async (due: DueReport, until: number): Promise<void> =>
      void (await transaction((tx) => moveReport(tx, due, until))),
  };
}

function deliveryOf(
  { accountId, alertChannelId }: Pick<DueReport, 'accountId' | 'alertChannelId'>,
  report: AccountReport,
  now: number,
): Delivery {
  const delivery = newDelivery({ accountId, id: newId(), alertChannelId, alertType: null }, now);
  const variables = { DELIVERY_ID: delivery.id, IS_REPLAY: false };
  return { ...delivery, content: { variables, groupId: null, report } };
}

/** @returns false = it is no longer due at that time */
async function moveReport(tx: Db, { accountId, alertChannelId, dueAt }: DueReport, nextAt: number): Promise<boolean> {
  const key = { account_id: idBytes(accountId), id: alertChannelId, report_at: dueAt };
  return (await updateRows(tx, 'alert_channels', key, { report_at: nextAt })) > 0;
}

async function readIncidents(
  { reader, clock }: Pick<Database, 'reader' | 'clock'>,
  account: IdBytes,
  { from, to }: TimeSpan,
  only: ReadonlySet<string> | null,
): Promise<ReportIncidents> {
  const counts = new Map<string, number>();
  const now = clock.now();
  const lastedMs = ({ startedAt, endedAt }: ReportedIncident): number => (endedAt ?? now) - startedAt;
  let longest: readonly ReportedIncident[] = [];
  const keep = (some: readonly ReportedIncident[]): void => {
    longest = [...longest, ...some].toSorted((one, other) => lastedMs(other) - lastedMs(one)).slice(0, listedInReport);
  };
  const before = () => selectRows(reader, 'incidents', { account_id: account, ended_at: null });
  for await (const some of slicesOf(before, firstIdAt(0), firstIdAt(from), only)) keep(some);
  let total = 0;
  const within = () => selectRows(reader, 'incidents', { account_id: account });
  for await (const some of slicesOf(within, firstIdAt(from), firstIdAt(to), only)) {
    for (const { checkId } of some) counts.set(checkId, (counts.get(checkId) ?? 0) + 1);
    keep(some);
    total += some.length;
  }
  return { total, counts, longest };
}

/** Incidents of these checks by ID from `from` to before `to`, as many as are counted at most. */
async function* slicesOf(
  query: () => ReturnType<typeof selectRows<'incidents'>>,
  from: IdBytes,
  to: IdBytes,
  only: ReadonlySet<string> | null,
): AsyncGenerator<readonly ReportedIncident[]> {
  let [after, read] = [from, 0];
  for (let size = rowsAtOnce; size === rowsAtOnce && read < maxCounted;) {
    const rows = await query()
      .select(['id', 'check_id', 'check_name', 'started_at', 'ended_at'])
      .where('id', read === 0 ? '>=' : '>', after)
      .where('id', '<', to)
      .orderBy('id')
      .limit(rowsAtOnce)
      .execute();
    yield rows.map(incidentOf).filter(({ checkId }) => only === null || only.has(checkId));
    size = rows.length;
    read += size;
    after = rows.at(-1)?.id ?? after;
    await breathe();
  }
}

function incidentOf(
  row: Pick<IncidentsTable, 'id' | 'check_id' | 'check_name' | 'started_at' | 'ended_at'>,
): ReportedIncident {
  return {
    id: idText(row.id),
    checkId: idText(row.check_id),
    checkName: row.check_name,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}
