// What a digest says: the state of its checks for its channel at the time it leaves.
import { countRows, findRows, inAccount, selectRows } from '../base/rows.ts';
import type { AlertType } from '#domain/alerts/alert.ts';
import {
  type Digest,
  type DigestCheck,
  type DigestedAlert,
  type DigestSection,
  byName,
  listedChecks,
  type OpenAlerts,
  sortDigest,
  type SortedCheck,
} from '#domain/alerts/digest.ts';
import { type IdBytes, idBytes, idText, idTextOrNull, json } from '../base/codec.ts';
import type { DeliveryContent } from '#domain/deliveries/delivery.ts';
import type { Db, DeliveriesTable } from '../base/tables/schema.ts';

/** Alerts to read, newest first: with more, the oldest are counted, but not listed. */
const readAtMost = 10_000;
const longestName = 200;
const longestError = 300;

/** The delivery of a digest. */
export type DigestRow = Pick<DeliveriesTable, 'account_id' | 'id' | 'alert_channel_id' | 'routed_from'>;

/** The digest of a delivery. @param now its time, epoch ms */
export async function readDigest(tx: Db, digest: DigestRow, now: number): Promise<Digest> {
  const { account_id: account } = digest;
  const { alerts, count } = await readAlerts(tx, digest);
  const sections: DigestSection[] = [];
  let left = listedChecks;
  const members = new Set(alerts.map(({ checkId }) => checkId));
  for (const { state, checks } of sortDigest(alerts, await readOpen(tx, digest, members))) {
    const listed = checks.slice(0, left);
    left -= listed.length;
    const shown = await describe(tx, account, listed);
    const isClosed = state === 'recovered';
    sections.push({
      state,
      count: checks.length,
      checks: isClosed ? shown.map((check) => ({ ...check, error: null })) : shown,
    });
  }
  return { at: now, alerts: count, sections };
}

/** The deliveries of a digest with their alerts. */
export function membersOf(tx: Db, { account_id, id }: Pick<DeliveriesTable, 'account_id' | 'id'>) {
  return tx
    .selectFrom('deliveries')
    .leftJoin('alerts', inAccount('alerts.id', 'deliveries.alert_id'))
    .select(['deliveries.id', 'deliveries.check_id', 'deliveries.alert_id', 'deliveries.alert_type'])
    .select(['alerts.is_counted', 'alerts.incident_id'])
    .where('deliveries.account_id', '=', account_id)
    .where('deliveries.digest_id', '=', id);
}

/** Oldest first. */
async function readAlerts(tx: Db, digest: DigestRow): Promise<{ alerts: DigestedAlert[]; count: number }> {
  const rows = await membersOf(tx, digest).orderBy('deliveries.id', 'desc').limit(readAtMost).execute();
  const alerts = rows.reverse().flatMap(({ check_id, alert_id, alert_type, is_counted }) => {
    const checkId = idTextOrNull(check_id);
    const [alertId, alertType] = [idTextOrNull(alert_id), alert_type as AlertType];
    return checkId === null ? [] : [{ checkId, alertId, alertType, isNews: is_counted !== 0 }];
  });
  if (rows.length < readAtMost) return { alerts, count: rows.length };
  return { alerts, count: await countRows(tx, 'deliveries', { account_id: digest.account_id, digest_id: digest.id }) };
}

/** Of other checks, only those whose alert was sent through the channel of this digest. */
async function readOpen(
  tx: Db,
  { account_id, alert_channel_id, routed_from }: DigestRow,
  members: ReadonlySet<string>,
): Promise<OpenAlerts> {
  const rows = await selectRows(tx, 'notified', { account_id, alert_channel_id: routed_from ?? alert_channel_id })
    .select(['check_id', 'open', 'routed_to'])
    .where('open', 'is not', null)
    .orderBy('check_id')
    .execute();
  const route = routed_from === null ? null : alert_channel_id;
  return new Map(
    rows.flatMap(({ check_id, open, routed_to }) => {
      const id = idText(check_id);
      const isShown = members.has(id) || routed_to === route;
      return isShown ? [[id, open === 'degraded' ? 'degraded' : 'failure']] : [];
    }),
  );
}

/** In the order of their names. */
async function describe(tx: Db, account: IdBytes, checks: readonly SortedCheck[]): Promise<DigestCheck[]> {
  const ids = checks.map(({ checkId }) => idBytes(checkId));
  const alertIds = checks.flatMap(({ alertId }) => (alertId === null ? [] : idBytes(alertId)));
  const alertKey = { account_id: account, id: alertIds };
  const alerts = await findRows(tx, 'alerts', alertKey, ['id', 'check_name', 'error', 'result_id']);
  const names = await findRows(tx, 'checks', { account_id: account, id: ids }, ['id', 'name']);
  const unacknowledged = { account_id: account, check_id: ids, acknowledged_at: null };
  const open = await findRows(tx, 'check_states', unacknowledged, ['check_id', 'incident_id']);
  const incidentOf = new Map(open.map(({ check_id, incident_id }) => [idText(check_id), idTextOrNull(incident_id)]));
  const alertOf = new Map(alerts.map((row) => [idText(row.id), row]));
  const nameOf = new Map(names.map(({ id, name }) => [idText(id), name]));
  return checks
    .map(({ checkId, alertId }) => {
      const alert = alertOf.get(alertId ?? '');
      return {
        checkId,
        name: (nameOf.get(checkId) ?? alert?.check_name ?? 'Deleted check').slice(0, longestName),
        error: alert?.error?.slice(0, longestError) ?? null,
        resultId: alert === undefined ? null : idText(alert.result_id),
        incidentId: incidentOf.get(checkId) ?? null,
      };
    })
    .sort(byName);
}

/** What a digest is rendered from, JSON. */
export function digestContent(id: IdBytes, digest: Digest): string {
  const variables = { DELIVERY_ID: idText(id), IS_REPLAY: false };
  return json({ variables, groupId: null, digest } satisfies DeliveryContent);
}
