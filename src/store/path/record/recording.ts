// The rows of a batch of recording in memory, as its reads see them, and their writes; the same on both engines.
import { monthStart } from '#domain/accounts/account.ts';
import type { Delivery } from '#domain/deliveries/delivery.ts';
import type { FailureMessage } from '#domain/alerts/suppression.ts';
import { type IdBytes, idBytes, idText } from '../../base/codec.ts';
import { addToCounts, type Counts } from '../../base/counts.ts';
import { type RemindersOf, remindersCancelled } from '../../channels/cancel-reminders.ts';
import { releaseDeliveries, sendDeliveries, type Uncollected } from '../../channels/delivery-rows.ts';
import { createStorms, type DueDigest, hastened, type StormRows } from '../../channels/storm-rows.ts';
import type { Writes } from '../../engines/statements.ts';
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
import type { IncidentsTable } from '../../base/tables/incident-tables.ts';
import type { HeldRows } from './held-alerts.ts';
import { channelCounted } from './insert-alert.ts';
import { listenerAfter } from './listener-rows.ts';
import {
  changedIncident,
  type IncidentChange,
  incidentChanged,
  type IncidentRows,
  mergedChange,
} from './record-incident.ts';
import { createLateHours, sendLateHours } from '../../roll-ups/late-hours.ts';

/** What recording reads, without the writes of its batch. */
export interface RecordReads
  extends Pick<RecordRows, 'release' | 'state' | 'needed' | 'locationOf' | 'listeners'>, Pick<StormRows, 'readStorm'> {}

/** Rows to write, each once. */
type Recording = ReturnType<typeof createRecording>;

export function createRecording(reads: RecordReads) {
  const [results, exchanges, again]: [ResultsTable[], ExchangesTable[], FirstRunsTable[]] = [[], [], []];
  const late = createLateHours();
  const givenBack: { accountId: IdBytes; at: number }[] = [];
  // If a batch writes a row twice, the last write counts, and later reads see it.
  const states = new Map<string, CheckStatesTable>();
  const passing = new Map<string, PassingExchangesTable>();
  const notified = new Map<string, NotifiedTable>();
  const incidents = createBatchIncidents();
  const { rows: alertRows, ...alerts } = createAlertRows(reads);
  const state: RecordRows['state'] = (...key) => states.get(idText(key[0]) + idText(key[1])) ?? reads.state(...key);
  const rows: RecordRows = {
    ...incidents.rows,
    ...alertRows,
    release: (attempt) => reads.release(attempt),
    insertResult: (row) => void results.push(row),
    noteLate: late.note,
    locationOf: (...key) => reads.locationOf(...key),
    state,
    needed(accountId, checkId) {
      const known = reads.needed(accountId, checkId);
      return known === null
        ? null
        : {
            ...known,
            state: state(idBytes(accountId), idBytes(checkId)),
            messages: () => [...known.messages(), ...failuresOf(alerts.deliveries, accountId, checkId)],
          };
    },
    writeState: (row) => void states.set(idText(row.account_id) + idText(row.check_id), row),
    insertExchange: (row) => void exchanges.push(row),
    keepPassing: (row) => void passing.set(`${idText(row.account_id)}${idText(row.check_id)}${row.location}`, row),
    runAgain: (row) => void again.push(row),
    giveBack: (accountId, at) => void givenBack.push({ accountId, at }),
    listeners(attempt) {
      const key = attempt.run.accountId + attempt.run.checkId;
      return reads.listeners(attempt).map((row) => listenerAfter(row, notified.get(`${key}${row.id}`)));
    },
    writeNotified(row) {
      const key = `${idText(row.account_id)}${idText(row.check_id)}${row.alert_channel_id}`;
      notified.set(key, { ...row, delivery_id: row.delivery_id ?? notified.get(key)?.delivery_id ?? null });
    },
  };
  return { rows, results, late, exchanges, ...alerts, again, givenBack, states, passing, notified, incidents };
}

/** Notifications about the failures of a check that the batch adds. */
function failuresOf(deliveries: readonly Delivery[], accountId: string, checkId: string): FailureMessage[] {
  return deliveries
    .filter((one) => one.accountId === accountId && one.checkId === checkId && one.alertType === 'ALERT_FAILURE')
    .map((one) => ({
      ...one,
      // Its digest is in this batch, too, or still collects.
      status: one.status === 'digested' ? 'collecting' : one.status,
      quotaWaitsSince: null,
    }));
}

/** The rows of alerts, their deliveries and storms. */
function createAlertRows({ readStorm }: Pick<RecordReads, 'readStorm'>) {
  const [alerts, deliveries, cancelled]: [AlertsTable[], Delivery[], RemindersOf[]] = [[], [], []];
  const hastenedDigests: DueDigest[] = [];
  /** Each for a channel that waited for it. */
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
      readStorm,
      writeStorm: (row) => void storms.set(idText(row.account_id), row),
      insertDelivery,
      hastenDigest: (digest) => void hastenedDigests.push(digest),
    }),
  };
  return { rows, alerts, escalated, deliveries, released, uncollected, cancelled, hastenedDigests, storms };
}

function createBatchIncidents() {
  /** Incidents opened by the batch, in their final state. */
  const opened = new Map<string, IncidentsTable>();
  /** Changes of incidents that were open before. */
  const changes = new Map<string, IncidentChange>();
  const rows: IncidentRows = {
    openIncident: (row) => void opened.set(idText(row.id), row),
    changeIncident(change) {
      const key = idText(change.id);
      const row = opened.get(key);
      if (row === undefined) changes.set(key, mergedChange(changes.get(key), change));
      else opened.set(key, changedIncident(row, change));
    },
  };
  return { rows, opened, changes };
}

/** Writes a batch. */
export function sendRecording(writes: Writes, recording: Recording, counts: Counts): void {
  writes.send('results', recording.results, rowEndings.results);
  sendLateHours(writes, recording.late);
  writes.send('check_states', [...recording.states.values()], rowEndings.check_states);
  writes.send('exchanges', recording.exchanges, rowEndings.exchanges);
  writes.send('passing_exchanges', sorted(recording.passing), rowEndings.passing_exchanges);
  writes.send('first_runs', recording.again, rowEndings.first_runs);
  for (const { accountId, at } of recording.givenBack) {
    writes.change({
      text: 'UPDATE usage SET used = CASE WHEN used > 0 THEN used - 1 ELSE 0 END WHERE account_id = $1 AND month = $2',
      values: [accountId, monthStart(at)],
    });
  }
  sendNotified(writes, recording, counts);
}

/** Writes alerts, notification records and deliveries, cancels reminders of ended alerts, and adds the counters. */
export function sendNotified(writes: Writes, recording: Recording, counts: Counts): void {
  const { alerts, deliveries, incidents } = recording;
  counts.addAlerts(alerts);
  counts.addDeliveries(deliveries);
  writes.send('incidents', [...incidents.opened.values()]);
  for (const change of incidents.changes.values()) writes.change(incidentChanged(change));
  writes.send('alerts', alerts);
  for (const alert of recording.escalated) writes.change(channelCounted(alert));
  writes.send('notified', [...recording.notified.values()], rowEndings.notified);
  writes.send('alert_storms', sorted(recording.storms), rowEndings.alert_storms);
  sendDeliveries(writes, deliveries);
  for (const digest of recording.hastenedDigests) writes.change(hastened(digest));
  releaseDeliveries(writes, recording);
  for (const reminders of recording.cancelled) writes.change(remindersCancelled(reminders));
  // Last, because others wait for these rows.
  writes.send('account_counts', counts.rows(), addToCounts);
}

/** In the same order in every process, to avoid deadlocks. */
function sorted<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

const replaced = (columns: string): string =>
  columns
    .split(' ')
    .map((column) => `${column} = excluded.${column}`)
    .join(', ');

/** By table; what is recorded twice is kept as it is. */
const rowEndings = {
  results: 'ON CONFLICT DO NOTHING',
  exchanges: 'ON CONFLICT DO NOTHING',
  first_runs: 'ON CONFLICT DO NOTHING',
  passing_exchanges: `ON CONFLICT (account_id, check_id, location) DO UPDATE SET ${replaced('result_id exchange')}`,
  check_states: `ON CONFLICT (account_id, check_id) DO UPDATE SET ${replaced(
    'status since position_at position_started_at failed_in_a_row degraded_in_a_row failing_since alerted suppressed_by recovered_at failed_from passed_at incident_id ' +
      'incident_started_at acknowledged_at flapping flapping_since flapping_due_at by_location last_result_id last_outcome last_reason last_location last_response_us longest_response_us shortest_response_us ' +
      'certificate_valid_to certificate updated_at revision',
  )}`,
  // An update without a delivery keeps the last.
  notified: `ON CONFLICT (account_id, check_id, alert_channel_id) DO UPDATE SET
    ${replaced('open certificates notified_at reminders flapping is_grouped escalates_at alert_id')},
    delivery_id = coalesce(excluded.delivery_id, notified.delivery_id)`,
  alert_storms: `ON CONFLICT (account_id) DO UPDATE SET ${replaced('started_at is_current channels')}`,
} as const;
