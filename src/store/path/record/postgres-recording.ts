// The rows of a batch of recording in memory: those read, and those to write.
import type { Delivery } from '#domain/deliveries/delivery.ts';
import type { FailureMessage } from '#domain/alerts/suppression.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { type IdBytes, idBytes, idText } from '../../base/codec.ts';
import { createStorms, type DueDigest, type StormRead } from '../../channels/storm-rows.ts';
import type { RecordRows } from './record-attempts.ts';
import type { AlertStormsTable, NotifiedTable } from '../../base/tables/delivery-tables.ts';
import type {
  AlertsTable,
  CheckStatesTable,
  ExchangesTable,
  PassingExchangesTable,
  ResultsTable,
} from '../../base/tables/schema.ts';
import type { FirstRunsTable } from '../../base/tables/schedule-tables.ts';
import type { HeldRows } from './held-alerts.ts';
import { listenerAfter, type ListenerRow } from './listener-rows.ts';
import type { RemindersOf } from './notify-channels.ts';
import { type BatchIncidents, createBatchIncidents } from './postgres-incidents.ts';
import type { CheckKey } from './postgres-suppression.ts';
import type { NeededRow } from './suppression.ts';
import { createLateHours, type LateHours } from '../../roll-ups/postgres-late-hours.ts';

/** Rows read, by account and check; runs by ID. */
export interface RecordingInput {
  /** Runs that the owner has leased. */
  readonly held: ReadonlySet<string>;
  /** Of the checks of the attempts, locked, and of those that they need. */
  readonly states: ReadonlyMap<string, CheckStatesTable>;
  /** Needed checks; null = gone. */
  readonly needed: ReadonlyMap<string, NeededRow | null>;
  /** Of first attempts, by `resultKey`. */
  readonly locations: ReadonlyMap<string, string>;
  readonly listeners: ReadonlyMap<string, readonly ListenerRow[]>;
  /** Of accounts whose channels of people may be notified. */
  readonly storms: ReadonlyMap<string, StormRead>;
}

/** A delivery that collected alerts and is cancelled. */
export interface Uncollected extends Pick<Delivery, 'accountId' | 'id'> {
  readonly reason: string;
}

/** Rows to write, each once. */
export interface Recording {
  readonly rows: RecordRows;
  /** Attempts whose channels were requested but are not read yet: then the rest of the batch is discarded. */
  readonly asked: readonly EndedAttempt[];
  /** The same for needed checks. */
  readonly askedNeeded: ReadonlyMap<string, CheckKey>;
  readonly results: readonly ResultsTable[];
  readonly late: LateHours;
  readonly exchanges: readonly ExchangesTable[];
  readonly alerts: readonly AlertsTable[];
  /** Each for a channel that waited for it. */
  readonly escalated: readonly Pick<AlertsTable, 'account_id' | 'id'>[];
  readonly deliveries: readonly Delivery[];
  /** Of these, content is added, too. */
  readonly released: readonly Delivery[];
  readonly uncollected: readonly Uncollected[];
  readonly cancelled: readonly RemindersOf[];
  readonly hastened: readonly DueDigest[];
  readonly incidents: BatchIncidents;
  readonly again: readonly FirstRunsTable[];
  readonly givenBack: readonly { readonly accountId: IdBytes; readonly at: number }[];
  states(): CheckStatesTable[];
  passing(): PassingExchangesTable[];
  notified(): NotifiedTable[];
  storms(): AlertStormsTable[];
}

export function createRecording({ held, states, locations, listeners, storms, needed }: RecordingInput): Recording {
  const unconfirmed = new Set(held);
  const asked = new Map<string, EndedAttempt>();
  const [results, exchanges, again]: [ResultsTable[], ExchangesTable[], FirstRunsTable[]] = [[], [], []];
  const late = createLateHours();
  const givenBack: { accountId: IdBytes; at: number }[] = [];
  // If a batch writes a row twice, the last write counts, and later reads see it.
  const newStates = new Map<string, CheckStatesTable>();
  const passing = new Map<string, PassingExchangesTable>();
  const notified = new Map<string, NotifiedTable>();
  const incidents = createBatchIncidents();
  const { rows: alertRows, ...alerts } = createAlertRows(storms);
  const state = (...key: [IdBytes, IdBytes]): CheckStatesTable | undefined => newest(newStates, states, ...key);
  const dependencies = createNeeded(needed, { state, deliveries: alerts.deliveries });
  const rows: RecordRows = {
    ...incidents.rows,
    ...alertRows,
    // A run is locked once: of two attempts of the same run, the second does not find it.
    release: ({ run }) => unconfirmed.delete(run.id),
    insertResult: (row) => void results.push(row),
    noteLate: late.note,
    locationOf: (...key) => locations.get(resultKey(...key)),
    state,
    needed: dependencies.find,
    writeState: (row) => void newStates.set(idText(row.account_id) + idText(row.check_id), row),
    insertExchange: (row) => void exchanges.push(row),
    keepPassing: (row) => void passing.set(`${idText(row.account_id)}${idText(row.check_id)}${row.location}`, row),
    runAgain: (row) => void again.push(row),
    giveBack: (accountId, at) => void givenBack.push({ accountId, at }),
    listeners(attempt) {
      const key = attempt.run.accountId + attempt.run.checkId;
      const known = listeners.get(key);
      if (known === undefined) {
        asked.set(key, attempt);
        return [];
      }
      return known.map((row) => listenerAfter(row, notified.get(`${key}${row.id}`)));
    },
    writeNotified(row) {
      const key = `${idText(row.account_id)}${idText(row.check_id)}${row.alert_channel_id}`;
      notified.set(key, { ...row, delivery_id: row.delivery_id ?? notified.get(key)?.delivery_id ?? null });
    },
  };
  return {
    rows,
    get asked() {
      return [...asked.values()];
    },
    askedNeeded: dependencies.asked,
    results,
    late,
    exchanges,
    ...alerts,
    again,
    givenBack,
    states: () => [...newStates.values()],
    passing: () => sorted(passing),
    notified: () => [...notified.values()],
    incidents,
  };
}

/** The row of a check that was written last. */
function newest(
  written: ReadonlyMap<string, CheckStatesTable>,
  read: ReadonlyMap<string, CheckStatesTable>,
  ...key: [IdBytes, IdBytes]
): CheckStatesTable | undefined {
  const text = idText(key[0]) + idText(key[1]);
  return written.get(text) ?? read.get(text);
}

/** Needed checks as this batch leaves them, and those that were requested but are not read yet. */
function createNeeded(
  read: RecordingInput['needed'],
  { state, deliveries }: Pick<RecordRows, 'state'> & { readonly deliveries: readonly Delivery[] },
) {
  const asked = new Map<string, CheckKey>();
  return {
    asked,
    find: (accountId: string, checkId: string): NeededRow | null => {
      const known = read.get(accountId + checkId);
      if (known === undefined) asked.set(accountId + checkId, { accountId, checkId });
      if (known === undefined || known === null) return null;
      const added = (): FailureMessage[] =>
        deliveries.flatMap((delivery) =>
          delivery.accountId === accountId && delivery.checkId === checkId && delivery.alertType === 'ALERT_FAILURE'
            ? // Its digest is in this batch, too, or still collects.
              [
                {
                  ...delivery,
                  status: delivery.status === 'digested' ? 'collecting' : delivery.status,
                  quotaWaitsSince: null,
                },
              ]
            : [],
        );
      return {
        ...known,
        state: state(idBytes(accountId), idBytes(checkId)),
        messages: () => [...known.messages(), ...added()],
      };
    },
  };
}

/** The rows of alerts, their deliveries and storms. */
function createAlertRows(read: RecordingInput['storms']) {
  const [alerts, deliveries, cancelled]: [AlertsTable[], Delivery[], RemindersOf[]] = [[], [], []];
  const hastened: DueDigest[] = [];
  const escalated: Pick<AlertsTable, 'account_id' | 'id'>[] = [];
  const [released, uncollected]: [Delivery[], Uncollected[]] = [[], []];
  const storms = new Map<string, AlertStormsTable>();
  const insertDelivery = (delivery: Delivery): void => void deliveries.push(delivery);
  const rows: Pick<RecordRows, 'insertAlert' | 'countChannel' | 'cancelReminders' | 'storms' | keyof HeldRows> = {
    insertAlert: (row) => void alerts.push(row),
    countChannel: (alert) => void escalated.push(alert),
    insertDelivery,
    releaseDelivery: (delivery) => void released.push(delivery),
    cancelCollecting: (delivery, reason) => void uncollected.push({ ...delivery, reason }),
    cancelReminders: (reminders) => void cancelled.push(reminders),
    storms: createStorms({
      readStorm: (accountId) => read.get(accountId) ?? noneRead,
      writeStorm: (row) => void storms.set(idText(row.account_id), row),
      insertDelivery,
      hastenDigest: (digest) => void hastened.push(digest),
    }),
  };
  return {
    rows,
    alerts,
    escalated,
    deliveries,
    released,
    uncollected,
    cancelled,
    hastened,
    storms: () => sorted(storms),
  };
}

const noneRead: StormRead = { row: undefined, alerted: [] };

/** A result in memory. */
export function resultKey(accountId: IdBytes, checkId: IdBytes, resultId: IdBytes): string {
  return idText(accountId) + idText(checkId) + idText(resultId);
}

/** In the same order in every process, to avoid deadlocks. */
function sorted<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
