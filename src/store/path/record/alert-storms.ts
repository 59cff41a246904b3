// Sorts alerts of people's channels into digests while an account has a storm, in the transaction of the result. Shared
// by all engines (docs/decisions/0127).
import { type AlertStorm, countedFrom, digestDueAt, type StormChannel } from '#domain/alerts/alert-storm.ts';
import { type Delivery, newDelivery } from '#domain/alerts/delivery.ts';
import { newId } from '#lib/id.ts';
import { idBytes, json, parsed } from '../../base/codec.ts';
import type { AlertStormsTable } from '../../base/tables/delivery-tables.ts';

/** What is read about an account: its storm, locked, and the checks with alerts that count towards a new one. */
export interface StormRead {
  readonly row: AlertStormsTable | undefined;
  readonly alerted: readonly string[];
}

/** Rows that sorting reads and writes. Each is read once in a transaction. */
export interface StormRows {
  readStorm(accountId: string): StormRead;
  writeStorm(row: AlertStormsTable): void;
  insertDelivery(delivery: Delivery): void;
}

/** Storms of the accounts of a transaction. */
export interface Storms {
  /** Counts a check with an alert. */
  note(accountId: string, checkId: string): void;
  /**
   * Starts a storm if the alerts require it.
   * @param threshold of the account
   * @returns whether its alerts to people are digested
   */
  isOn(accountId: string, threshold: number, now: number): boolean;
  /** The delivery as part of the current digest of its channel; starts one if there is none. */
  digested(delivery: Delivery): Delivery;
}

/** Checks to read; more than any threshold. */
export const alertedAtMost = 1001;

export function createStorms(rows: StormRows): Storms {
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
    storms(accountId).storm = storm;
    rows.writeStorm(stormRow(accountId, storm));
  };
  return {
    note(accountId, checkId) {
      const checks = noted.get(accountId) ?? new Set();
      noted.set(accountId, checks.add(checkId));
    },
    isOn(accountId, threshold, now) {
      const { storm, alerted } = storms(accountId);
      if (storm.startedAt !== null) return true;
      if (new Set([...alerted, ...(noted.get(accountId) ?? [])]).size <= threshold) return false;
      write(accountId, { ...storm, startedAt: now, channels: {} });
      return true;
    },
    digested(delivery) {
      const { accountId, alertChannelId } = delivery;
      const { storm } = storms(accountId);
      const channel = storm.channels[alertChannelId];
      let digestId = channel?.digestId ?? null;
      if (digestId === null) {
        const digest = collectingDigest(delivery, channel);
        digestId = digest.id;
        rows.insertDelivery(digest);
        const channels = { ...storm.channels, [alertChannelId]: { sentAt: channel?.sentAt ?? null, digestId } };
        write(accountId, { ...storm, channels });
      }
      return { ...delivery, status: 'digested', nextAttemptAt: null, digestId };
    },
  };
}

function collectingDigest(
  { accountId, alertChannelId, createdAt }: Delivery,
  channel: StormChannel | undefined,
): Delivery {
  return {
    ...newDigest(accountId, alertChannelId, createdAt),
    status: 'collecting',
    nextAttemptAt: digestDueAt(channel, createdAt),
  };
}

/** A digest that is due. @param now epoch ms */
export function newDigest(accountId: string, alertChannelId: number, now: number): Delivery {
  const own = { accountId, id: newId(), alertChannelId, alertType: 'ALERT_FAILURE' } as const;
  return { ...newDelivery(own, now), isDigest: true };
}

export function stormOf(row: AlertStormsTable | undefined): AlertStorm {
  if (row === undefined) return { startedAt: null, endedAt: null, channels: {} };
  return {
    startedAt: row.started_at,
    endedAt: row.ended_at,
    channels: parsed<AlertStorm['channels']>(row.channels),
  };
}

export function stormRow(accountId: string, { startedAt, endedAt, channels }: AlertStorm): AlertStormsTable {
  return { account_id: idBytes(accountId), started_at: startedAt, ended_at: endedAt, channels: json(channels) };
}

/** Start of the time in which alerts count, for a stored row; see `countedFrom`. */
export function countedFromRow(row: AlertStormsTable | undefined, now: number): number {
  return countedFrom({ endedAt: row?.ended_at ?? null }, now);
}
