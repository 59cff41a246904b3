// Trials of checks: a queue of their own beside the runs, with encrypted definitions and findings.
import { sql } from 'kysely';
import type { Finding } from '#domain/results/result.ts';
import {
  type CheckTrial,
  type StoredTrial,
  trialLifeMs,
  trialsAtOnce,
  withFewAssets,
} from '#domain/results/check-trial.ts';
import { idBytes, idText, json, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { waitForOthers } from '../base/account-limits.ts';
import { updateRows } from '../base/rows.ts';
import type { Seal } from '../base/seal.ts';
import type { Db } from '../base/tables/schema.ts';
import type { CheckTrialsTable } from '../base/tables/trial-tables.ts';
import {
  createTrialSlices,
  decoded,
  deleteSlices,
  encoded,
  type EncodedAsset,
  type TrialSlices,
} from './trial-slices.ts';
import { countUsage, remainingRuns } from './start-trigger.ts';

/** Trials of an account that are stored, read or not. */
export const trialsKept = 2 * trialsAtOnce;

/** A process that takes trials of its location, and until when. Times are epoch ms. */
export interface TrialLease {
  readonly location: string;
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
}

/** Trials of checks (docs/decisions/0142). */
export interface CheckTrials extends TrialSlices {
  /** `full` = as many as allowed wait or run; `over-limit` = the account's runs of this month are used up. */
  add(trial: CheckTrial): Promise<'added' | 'full' | 'over-limit'>;
  find(accountId: string, id: string): Promise<StoredTrial | null>;
  /** false = unknown ID. A running trial is dropped when it ends. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** Leases trials, those first whose accounts have the fewest before them. Repeats those whose lease ended. */
  claim(lease: TrialLease, max: number): Promise<CheckTrial[]>;
  /** Returns the IDs of those that were removed, have ended, or were taken by another process. */
  renew(trials: readonly CheckTrial[], lease: TrialLease): Promise<string[]>;
  /** Keeps the finding, with as many screenshots as fit, unless the trial was removed or taken by another process. */
  end(trial: CheckTrial, owner: string, finding: Finding): Promise<void>;
  /** Removes trials older than `trialLifeMs`; returns their number. */
  removeOld(now: number): Promise<number>;
}

export function createCheckTrials(database: Database): CheckTrials {
  const { reader, transaction, seal, clock } = database;
  const one = (db: Db, accountId: string, id: string) =>
    db
      .selectFrom('check_trials')
      .selectAll()
      .where('account_id', '=', idBytes(accountId))
      .where('id', '=', idBytes(id));
  return {
    add: (trial) => transaction((tx) => addTrial(tx, trial, seal)),
    async find(accountId, id) {
      const row = await one(reader, accountId, id).executeTakeFirst();
      return row === undefined ? null : storedTrial(row, seal, clock.now());
    },
    remove: (accountId, id) =>
      transaction(async (tx) => {
        await deleteSlices(tx, { accountId, id });
        const removed = await tx
          .deleteFrom('check_trials')
          .where('account_id', '=', idBytes(accountId))
          .where('id', '=', idBytes(id))
          .executeTakeFirst();
        return Number(removed.numDeletedRows) > 0;
      }),
    claim: (lease, max) => transaction((tx) => claimTrials(tx, lease, max, seal)),
    renew: (trials, lease) => transaction((tx) => renewLeases(tx, 'check_trials', trials, lease)),
    ...createTrialSlices(database),
    end: ({ accountId, id }, owner, finding) =>
      transaction(async (tx) => {
        const ended = await tx
          .updateTable('check_trials')
          .set({ finding: seal.seal(findingText(finding)), leased_by: null, leased_until: null })
          .where('account_id', '=', idBytes(accountId))
          .where('id', '=', idBytes(id))
          .where('leased_by', '=', owner)
          .executeTakeFirst();
        // The finding has everything.
        if (Number(ended.numUpdatedRows) > 0) await deleteSlices(tx, { accountId, id });
      }),
    removeOld: (now) =>
      transaction(async (tx) => {
        await tx
          .deleteFrom('trial_slices')
          .where('created_at', '<', now - trialLifeMs)
          .execute();
        const removed = await tx
          .deleteFrom('check_trials')
          .where('created_at', '<', now - trialLifeMs)
          .executeTakeFirst();
        return Number(removed.numDeletedRows);
      }),
  };
}

async function addTrial(tx: Db, trial: CheckTrial, seal: Seal): Promise<'added' | 'full' | 'over-limit'> {
  const { accountId, id, location, check, createdAt } = trial;
  // First, so that concurrent calls are serialized.
  await waitForOthers(tx, accountId);
  const { open } = await tx
    .selectFrom('check_trials')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('account_id', '=', idBytes(accountId))
    .where('finding', 'is', null)
    .where('created_at', '>=', createdAt - trialLifeMs)
    .executeTakeFirstOrThrow();
  if (open >= trialsAtOnce) return 'full';
  if ((await remainingRuns(tx, accountId, createdAt)) < 1) return 'over-limit';
  await countUsage(tx, { accountId, now: createdAt }, 1);
  // Findings that nobody read give way to new ones.
  const unread = await tx
    .selectFrom('check_trials')
    .select('id')
    .where('account_id', '=', idBytes(accountId))
    .where('finding', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(trialsKept)
    .offset(trialsKept - 1 - open)
    .execute();
  if (unread.length > 0) {
    const ids = unread.map((row) => row.id);
    await tx.deleteFrom('check_trials').where('account_id', '=', idBytes(accountId)).where('id', 'in', ids).execute();
  }
  const definition = seal.seal(json(check));
  const waiting = { finding: null, leased_by: null, leased_until: null, created_at: createdAt, slices: 0 };
  const row: CheckTrialsTable = {
    account_id: idBytes(accountId),
    id: idBytes(id),
    location,
    definition,
    ...waiting,
  };
  await tx.insertInto('check_trials').values(row).execute();
  return 'added';
}

async function claimTrials(
  tx: Db,
  { location, owner, now, leaseMs }: TrialLease,
  max: number,
  seal: Seal,
): Promise<CheckTrial[]> {
  const waiting = tx
    .selectFrom('check_trials')
    .select(['account_id', 'id'])
    .select(sql<number>`row_number() OVER (PARTITION BY account_id ORDER BY created_at, id)`.as('place'))
    .where('location', '=', location)
    .where('finding', 'is', null)
    .where('created_at', '>=', now - trialLifeMs)
    .where((row) => row.or([row('leased_until', 'is', null), row('leased_until', '<=', now)]));
  const taken = await tx.selectFrom(waiting.as('waiting')).selectAll().orderBy('place').limit(max).execute();
  const trials: CheckTrial[] = [];
  for (const { account_id, id } of taken) {
    const row = await tx
      .updateTable('check_trials')
      .set({ leased_by: owner, leased_until: now + leaseMs })
      .where('account_id', '=', account_id)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) continue;
    const trial = trialOf(row, seal);
    // Those of a process that died.
    if (row.slices > 0) await deleteSlices(tx, trial);
    trials.push(trial);
  }
  return trials;
}

/** @returns the IDs of those that are not the owner's any more */
export async function renewLeases(
  tx: Db,
  table: 'check_trials' | 'test_runs',
  leased: readonly Pick<CheckTrial, 'accountId' | 'id'>[],
  { owner, now, leaseMs }: TrialLease,
): Promise<string[]> {
  const lost: string[] = [];
  for (const { accountId, id } of leased) {
    const key = { account_id: idBytes(accountId), id: idBytes(id), leased_by: owner };
    const renewed = await updateRows(tx, table, key, { leased_until: now + leaseMs });
    if (renewed === 0) lost.push(id);
  }
  return lost;
}

function trialOf(row: CheckTrialsTable, seal: Seal): CheckTrial {
  return {
    accountId: idText(row.account_id),
    id: idText(row.id),
    location: row.location,
    check: parsed(seal.open(row.definition)),
    createdAt: row.created_at,
  };
}

function storedTrial(row: CheckTrialsTable, seal: Seal, now: number): StoredTrial {
  const finding = row.finding === null ? null : readFinding(seal.open(row.finding));
  const isRunning = row.leased_until !== null && row.leased_until > now;
  const { slices } = row;
  return {
    ...trialOf(row, seal),
    finding,
    slices,
    status: finding !== null ? 'ended' : isRunning ? 'running' : 'waiting',
  };
}

/** The finding as JSON, with its screenshots in base64. */
function findingText(finding: Finding): string {
  const { assets = [], ...rest } = withFewAssets(finding);
  return json({ ...rest, assets: assets.map(encoded) });
}

function readFinding(text: string): Finding {
  const { assets, ...rest } = parsed<Omit<Finding, 'assets'> & { assets: EncodedAsset[] }>(text);
  return { ...rest, assets: assets.map(decoded) };
}
