// Databases for benchmarks: accounts, channels and thousands of checks, in the same rows as the product's.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { ensureFirstAccount } from '#actions/accounts/setup.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { Check } from '#domain/checks/check.ts';
import { systemClock } from '#lib/clock.ts';
import { scheduleOf, nextSlot } from '#domain/checks/schedule.ts';
import { checkRow } from '#store/checks/check-rows.ts';
import { flag, idBytes, json } from '#store/base/codec.ts';
import type { SchedulesTable } from '#store/base/tables/schedule-tables.ts';
import { createSeal } from '#store/base/seal.ts';
import { openSqliteFile } from '#store/engines/sqlite/file.ts';
import { openStore } from '#store/sqlite-store.ts';
import type { Store } from '#store/store.ts';
import { aChannel, aCheck } from '../../tests/support/store/records.ts';

/** The first key, known to the benchmark and the service. */
export const bootstrapKey = `tsn_${'bench'.repeat(8)}`;
/** Encryption key of secrets in these databases. */
export const secretKeyText = '5c'.repeat(32);

/** Signing secret of channel number `id`. */
export function channelSecret(id: number): string {
  return `bench secret of channel ${id}`;
}

/** Database file of a service with this data folder. */
export function databasePath(dataDir: string): string {
  return join(dataDir, 'tocsin.db');
}

/** Reads rows of a data folder, also while a service uses it. */
export function readRows(dataDir: string, statement: string, ...values: SQLInputValue[]) {
  using database = new DatabaseSync(databasePath(dataDir), { readOnly: true, timeout: 5000 });
  return database.prepare(statement).all(...values);
}

/** Opens the store of a data folder, like the service. */
export function openBenchStore(dataDir: string, now: () => number = Date.now): Store {
  return openStore({ path: databasePath(dataDir), secretKey: Buffer.from(secretKeyText, 'hex'), clock: { now } });
}

/** Creates the folder, the database and its first account; returns the account's id. */
export async function seedAccount(dataDir: string): Promise<string> {
  mkdirSync(dataDir, { recursive: true });
  const store = openBenchStore(dataDir);
  const accountId = await seedFirstAccount(store);
  await store.close();
  return accountId;
}

/** Creates the first account of a store; returns its id. */
export async function seedFirstAccount({ apiKeys }: Store): Promise<string> {
  const made = await ensureFirstAccount({ apiKeys, clock: systemClock }, { key: bootstrapKey });
  if (made === null) throw new Error('the database already has an account');
  return made.accountId;
}

/** Adds webhook channels 1..count with signing secrets, each with its own path at the receiver; some may differ. */
export async function seedChannels(
  store: Store,
  accountId: string,
  receiver: string,
  count: number,
  changeOf: (id: number) => Partial<AlertChannel> = () => ({}),
): Promise<void> {
  for (let id = 1; id <= count; id++) {
    const channel = aChannel(accountId, {
      id,
      config: { name: `channel ${id}`, url: `${receiver}/${id}`, method: 'POST' },
      secrets: { webhookSecret: channelSecret(id) },
      ...changeOf(id),
    });
    const added = await store.alertChannels.add({ channel, subscriptions: null });
    if (!('saved' in added) || added.saved.channel.id !== id) throw new Error('channel ids do not start at 1');
  }
}

/** An activated API check of a URL with typical assertions. */
export function apiCheck(accountId: string, url: string, change: Partial<Check> = {}): Check {
  return aCheck(accountId, {
    tags: ['shop', 'bench'],
    frequency: 0,
    frequencyOffset: 10,
    settings: {
      degradedResponseTime: 10_000,
      maxResponseTime: 20_000,
      request: {
        method: 'GET',
        url,
        assertions: [
          { source: 'STATUS_CODE', comparison: 'EQUALS', property: '', target: '200', regex: '' },
          { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', property: '', target: '10000', regex: '' },
          { source: 'JSON_BODY', comparison: 'EQUALS', property: '$.ok', target: 'true', regex: '' },
        ],
      },
    },
    ...change,
  });
}

/** So many of them, each with a path of its own. */
export function apiChecks(
  accountId: string,
  count: number,
  url: string,
  changeOf: (index: number) => Partial<Check> = () => ({}),
): Check[] {
  return Array.from({ length: count }, (_, index) => apiCheck(accountId, `${url}/${index}`, changeOf(index)));
}

/**
 * Adds thousands of checks in one transaction, with the same rows as `store.checks.add`.
 *
 * @param channelOf the subscribed channel of a check; null = none
 */
export async function seedChecks(
  dataDir: string,
  checks: readonly Check[],
  channelOf: (position: number) => number | null = () => null,
): Promise<void> {
  const file = openSqliteFile(databasePath(dataDir));
  const seal = createSeal(Buffer.from(secretKeyText, 'hex'));
  const now = Date.now();
  await file.queue.single(async ({ kysely }) => {
    for (const [position, check] of checks.entries()) {
      await kysely
        .insertInto('checks')
        .values(checkRow({ ...check, createdAt: now }, seal))
        .execute();
      await kysely.insertInto('schedules').values(scheduleRow(check, now)).execute();
      const channelId = channelOf(position);
      if (channelId === null) continue;
      await kysely
        .insertInto('subscriptions')
        .values({
          account_id: idBytes(check.accountId),
          id: position + 1,
          alert_channel_id: channelId,
          check_id: idBytes(check.id),
          group_id: null,
          activated: 1,
          escalation_minutes: 0,
        })
        .execute();
    }
  });
  await file.close();
}

/** Schedule row of a check, from its next slot on. */
export function scheduleRow(check: Check, now: number): SchedulesTable {
  const schedule = scheduleOf(check, null);
  if (schedule === null) throw new Error('the check has no schedule');
  const { intervalMs, phaseMs, locations, runParallel } = schedule;
  return {
    account_id: idBytes(check.accountId),
    check_id: idBytes(check.id),
    next_due_at: nextSlot(now, intervalMs, phaseMs),
    interval_ms: intervalMs,
    phase_ms: phaseMs,
    locations: json(locations),
    run_parallel: flag(runParallel),
    planned_to: null,
  };
}
