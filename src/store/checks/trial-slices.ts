// What trials report while they run: encrypted slices, deleted when their trial ends.
import type { Asset } from '#domain/results/asset.ts';
import type { CheckTrial, TrialSlice } from '#domain/results/check-trial.ts';
import { idBytes, json, parsed } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import type { Db } from '../base/tables/schema.ts';

/** Maximum slices of a read. */
const slicesAtOnce = 10;

/** Slices of the progress of trials. */
export interface TrialSlices {
  /** Stores what a running trial reports, unless it was removed or taken by another process. */
  addSlice(trial: CheckTrial, owner: string, slice: Omit<TrialSlice, 'number'>): Promise<void>;
  /** Slices after a number, the oldest first, at most ten. */
  slices(accountId: string, id: string, after: number): Promise<TrialSlice[]>;
}

export function createTrialSlices({ reader, transaction, seal }: Database): TrialSlices {
  return {
    addSlice(trial, owner, slice) {
      const content = seal.seal(sliceText(slice));
      return transaction((tx) => insertSlice(tx, trial, owner, content));
    },
    async slices(accountId, id, after) {
      const rows = await reader
        .selectFrom('trial_slices')
        .select(['number', 'content'])
        .where('account_id', '=', idBytes(accountId))
        .where('trial_id', '=', idBytes(id))
        .where('number', '>', after)
        .orderBy('number')
        .limit(slicesAtOnce)
        .execute();
      return rows.map(({ number, content }) => ({ ...readSlice(seal.open(content)), number }));
    },
  };
}

async function insertSlice(
  tx: Db,
  { accountId, id, createdAt }: CheckTrial,
  owner: string,
  content: string,
): Promise<void> {
  const counted = await tx
    .updateTable('check_trials')
    .set(({ eb }) => ({ slices: eb('slices', '+', 1) }))
    .where('account_id', '=', idBytes(accountId))
    .where('id', '=', idBytes(id))
    .where('leased_by', '=', owner)
    .returning('slices')
    .executeTakeFirst();
  if (counted === undefined) return;
  const trial = { account_id: idBytes(accountId), trial_id: idBytes(id), created_at: createdAt };
  await tx
    .insertInto('trial_slices')
    .values({ ...trial, number: counted.slices, content })
    .execute();
}

/** Deletes what a trial has reported. */
export async function deleteSlices(tx: Db, { accountId, id }: Pick<CheckTrial, 'accountId' | 'id'>): Promise<void> {
  await tx
    .deleteFrom('trial_slices')
    .where('account_id', '=', idBytes(accountId))
    .where('trial_id', '=', idBytes(id))
    .execute();
}

function sliceText({ screenshots, ...rest }: Omit<TrialSlice, 'number'>): string {
  return json({ ...rest, screenshots: screenshots.map(encoded) });
}

type WrittenSlice = Omit<TrialSlice, 'number' | 'screenshots'> & { readonly screenshots: readonly EncodedAsset[] };

function readSlice(text: string): Omit<TrialSlice, 'number'> {
  const { screenshots, ...rest } = parsed<WrittenSlice>(text);
  return { ...rest, screenshots: screenshots.map(decoded) };
}

/** A file as JSON. */
export interface EncodedAsset extends Omit<Asset, 'content'> {
  /** Base64. */
  readonly content: string;
}

export function encoded({ content, ...asset }: Asset): EncodedAsset {
  return { ...asset, content: Buffer.from(content).toString('base64') };
}

export function decoded({ content, ...asset }: EncodedAsset): Asset {
  return { ...asset, content: Buffer.from(content, 'base64') };
}
