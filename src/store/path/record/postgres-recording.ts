// The rows of one batch of recording, in memory: what was read, and what shall be written.
import type { Delivery } from '#domain/alerts/delivery.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { type IdBytes, idText } from '../../base/codec.ts';
import type { RecordRows } from './record-attempts.ts';
import type {
  AlertsTable,
  CheckStatesTable,
  ExchangesTable,
  PassingExchangesTable,
  ResultsTable,
  ToldTable,
} from '../../base/tables/schema.ts';
import type { FirstRunsTable } from '../../base/tables/schedule-tables.ts';
import type { ListenerRow, RemindersOf } from './tell-channels.ts';
import { createLateHours, type LateHours } from '../../history/postgres-late-hours.ts';

/** What was read, by account and check; runs by their id. */
export interface RecordingInput {
  /** Runs that the owner held. */
  readonly held: ReadonlySet<string>;
  readonly states: ReadonlyMap<string, CheckStatesTable>;
  /** Of first attempts, by `resultKey`. */
  readonly locations: ReadonlyMap<string, string>;
  readonly listeners: ReadonlyMap<string, readonly ListenerRow[]>;
}

/** What shall be written; each row once. */
export interface Recording {
  readonly rows: RecordRows;
  /** Attempts whose channels were asked for and are not read yet: then nothing of the rest counts. */
  readonly asked: readonly EndedAttempt[];
  readonly results: readonly ResultsTable[];
  readonly late: LateHours;
  readonly exchanges: readonly ExchangesTable[];
  readonly alerts: readonly AlertsTable[];
  readonly deliveries: readonly Delivery[];
  readonly cancelled: readonly RemindersOf[];
  readonly again: readonly FirstRunsTable[];
  readonly givenBack: readonly { readonly accountId: IdBytes; readonly at: number }[];
  states(): CheckStatesTable[];
  passing(): PassingExchangesTable[];
  told(): ToldTable[];
}

export function createRecording({ held, states, locations, listeners }: RecordingInput): Recording {
  const unheard = new Set(held);
  const asked = new Map<string, EndedAttempt>();
  const [results, exchanges, alerts]: [ResultsTable[], ExchangesTable[], AlertsTable[]] = [[], [], []];
  const deliveries: Delivery[] = [];
  const cancelled: RemindersOf[] = [];
  const again: FirstRunsTable[] = [];
  const late = createLateHours();
  const givenBack: { accountId: IdBytes; at: number }[] = [];
  // Of what a batch writes twice the last holds; what is read after it is what was written.
  const newStates = new Map<string, CheckStatesTable>();
  const passing = new Map<string, PassingExchangesTable>();
  const told = new Map<string, ToldTable>();
  const rows: RecordRows = {
    // A run is held once: of two attempts of the same one the second finds it gone.
    letGo: ({ run }) => unheard.delete(run.id),
    insertResult: (row) => void results.push(row),
    noteLate: late.note,
    locationOf: (...key) => locations.get(resultKey(...key)),
    state(accountId, checkId) {
      const key = idText(accountId) + idText(checkId);
      return newStates.get(key) ?? states.get(key);
    },
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
      return known.map((row) => ({ ...row, ...heardOf(told.get(`${key}${row.id}`)) }));
    },
    writeTold: (row) => void told.set(`${idText(row.account_id)}${idText(row.check_id)}${row.alert_channel_id}`, row),
    insertAlert: (row) => void alerts.push(row),
    insertDelivery: (delivery) => void deliveries.push(delivery),
    cancelReminders: (reminders) => void cancelled.push(reminders),
  };
  return {
    rows,
    get asked() {
      return [...asked.values()];
    },
    results,
    late,
    exchanges,
    alerts,
    deliveries,
    cancelled,
    again,
    givenBack,
    states: () => [...newStates.values()],
    passing: () => sorted(passing),
    told: () => [...told.values()],
  };
}

/** A result in memory. */
export function resultKey(accountId: IdBytes, checkId: IdBytes, resultId: IdBytes): string {
  return idText(accountId) + idText(checkId) + idText(resultId);
}

function heardOf(
  told: ToldTable | undefined,
): Partial<Pick<ToldTable, 'open' | 'told_at' | 'reminders' | 'certificates'>> {
  if (told === undefined) return {};
  const { open, told_at, reminders, certificates } = told;
  return { open, told_at, reminders, certificates };
}

/** In one order in every process, so that two that write the same rows wait for each other one way. */
function sorted<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
