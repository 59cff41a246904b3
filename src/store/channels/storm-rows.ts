// Sorts alerts of people's channels into digests, in the transaction of the result. Shared by all engines
// (docs/decisions/0127).
import type { Statement } from '../engines/statements.ts';
import {
  afterAlert,
  afterJoining,
  type AlertStorm,
  isGrouped,
  type GroupableAlert,
  isIdle,
  noStorm,
  stormWindowMs,
} from '#domain/alerts/alert-storm.ts';
import { type Delivery, newDelivery } from '#domain/deliveries/delivery.ts';
import { newId } from '#lib/id.ts';
import { flag, idBytes, json, parsed } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { AlertStormsTable } from '../base/tables/delivery-tables.ts';

/** What is read about an account: its storm, locked, and the checks with alerts that count towards a new one. */
export interface StormRead {
  readonly row: AlertStormsTable | undefined;
  readonly alerted: readonly string[];
}

/** When a digest that collects is due, epoch ms. */
export interface DueDigest {
  readonly accountId: string;
  readonly digestId: string;
  readonly dueAt: number;
}

/** Rows that sorting reads and writes. Each is read once in a transaction. */
export interface StormRows {
  readStorm(accountId: string): StormRead;
  writeStorm(row: AlertStormsTable): void;
  insertDelivery(delivery: Delivery): void;
  /** Makes a digest due earlier; called after it was inserted. */
  hastenDigest(digest: DueDigest): void;
}

/** Checks to read; more than any threshold. */
export const alertedAtMost = 1001;

/**
 * The checks that count towards a storm of an account: those alerted between two times, and those of which a channel
 * that waited is notified then or up to a minute later (docs/decisions/0145). The arguments are SQL expressions.
 */
export function countedChecks(account: string, from: string, to: string): string {
  return `SELECT check_id FROM alerts WHERE account_id = ${account} AND created_at > ${from} AND created_at <= ${to}
      AND is_counted = 1
    UNION SELECT check_id FROM notified WHERE account_id = ${account} AND escalates_at > ${from}
      AND escalates_at <= ${to} + ${stormWindowMs} LIMIT ${alertedAtMost}`;
}

/** Storms of the accounts of a transaction. */
export function createStorms(rows: StormRows) {
  const noted = new Map<string, Set<string>>();
  const read = new Map<string, { storm: AlertStorm; readonly alerted: ReadonlySet<string> }>();
  const storms = (accountId: string) => {
    const known = read.get(accountId);
    if (known !== undefined) return known;
    const { row, alerted } = rows.readStorm(accountId);
    const found = { storm: stormOf(row), alerted: new Set(alerted) };
    read.set(accountId, found);
    return found;
  };
  const write = (accountId: string, storm: AlertStorm): void => {
    const known = storms(accountId);
    if (known.storm === storm) return;
    known.storm = storm;
    rows.writeStorm(stormRow(accountId, storm));
  };
  return {
    /** Counts a check that started to fail or recovered. */
    note(accountId: string, checkId: string): void {
      const checks = noted.get(accountId) ?? new Set();
      noted.set(accountId, checks.add(checkId));
    },
    /** Starts a storm if the noted alerts require it. @param threshold of the account */
    begin(accountId: string, threshold: number, now: number): void {
      const { storm, alerted } = storms(accountId);
      const counted = new Set([...alerted, ...(noted.get(accountId) ?? [])]).size;
      write(accountId, afterAlert(storm, counted, threshold, now));
    },
    /** Whether an alert to people is grouped. */
    isGrouped: (accountId: string, alert: GroupableAlert): boolean => isGrouped(storms(accountId).storm, alert),
    /** The delivery as part of the current digest of its channel; starts one if there is none. */
    digested(delivery: Delivery, isNews: boolean): Delivery {
      const { accountId, alertChannelId, createdAt } = delivery;
      const before = storms(accountId).storm;
      const { dueAt: known = null, digestId: collecting = null } = before.channels[alertChannelId] ?? {};
      const joined = afterJoining(before, { alertChannelId, isNews, newDigestId: newId() }, createdAt);
      const { digestId, dueAt } = joined;
      if (collecting === null) {
        const digest = newDigest({ accountId, id: digestId, alertChannelId }, createdAt);
        rows.insertDelivery({ ...digest, status: 'collecting', nextAttemptAt: dueAt });
      } else if (dueAt !== known) rows.hastenDigest({ accountId, digestId, dueAt });
      if (dueAt !== known) write(accountId, joined.storm);
      return { ...delivery, status: 'digested', nextAttemptAt: null, digestId };
    },
  };
}

export type Storms = ReturnType<typeof createStorms>;

/** A digest that is due. @param now epoch ms */
export function newDigest(own: Pick<Delivery, 'accountId' | 'id' | 'alertChannelId'>, now: number): Delivery {
  return { ...newDelivery({ ...own, alertType: 'ALERT_FAILURE' }, now), isDigest: true };
}

export function stormOf(row: AlertStormsTable | undefined): AlertStorm {
  if (row === undefined) return noStorm;
  return { startedAt: row.started_at, channels: parsed<AlertStorm['channels']>(row.channels) };
}

export function stormRow(accountId: string, storm: AlertStorm): AlertStormsTable {
  return {
    account_id: idBytes(accountId),
    started_at: storm.startedAt,
    is_current: flag(!isIdle(storm)),
    channels: json(storm.channels),
  };
}

/** The statement of `hastenDigest`, unless the digest left meanwhile. */
export function hastened({ accountId, digestId, dueAt }: DueDigest): Statement {
  return {
    text: `UPDATE deliveries SET next_attempt_at = $3 WHERE account_id = $1 AND id = $2
      AND status = ${deliveryStatusCodes.encode('collecting')} AND next_attempt_at > $3`,
    values: [idBytes(accountId), idBytes(digestId), dueAt],
  };
}
