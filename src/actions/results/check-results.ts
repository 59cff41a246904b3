// What a caller may see of the results of checks (reference §4.7, decisions: What is kept of a result).
import type { Caller } from '#domain/accounts/api-key.ts';
import { type AssetFacts, type AssetFile, typesWithAssets } from '#domain/results/asset.ts';
import type { CheckType } from '#domain/checks/check.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Result } from '#domain/results/result.ts';
import type { AssetDownload, Downloads } from './asset-downloads.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound } from '../refusal.ts';

/** A result as the store keeps it. Instants are epoch ms, times in ms. */
export interface StoredResult extends Pick<
  Result,
  | 'accountId'
  | 'checkId'
  | 'id'
  | 'runId'
  | 'isFinal'
  | 'attempt'
  | 'outcome'
  | 'reason'
  | 'message'
  | 'location'
  | 'source'
  | 'slots'
  | 'startedAt'
  | 'stoppedAt'
  | 'responseTimeMs'
  | 'details'
> {
  /** Request and response in full, where they are kept. */
  readonly exchange: JsonObject | null;
}

/** Which results of a check. Instants are epoch ms, both included. */
export interface ResultFilter {
  readonly location?: string;
  readonly hasFailures?: boolean;
  readonly resultType: 'FINAL' | 'ATTEMPT' | 'ALL';
  readonly from?: number;
  readonly to?: number;
}

/** The same, as a caller asks: a type that is not the check's own finds nothing. */
export interface ResultQuestion extends ResultFilter {
  readonly checkType?: string;
}

/** A result ready to be shown, with the part that belongs to the check's type; null for a slot that was missed. */
export interface ShownResult {
  readonly result: StoredResult;
  readonly checkName: string;
  readonly checkType: CheckType;
  readonly described: JsonObject | null;
  /** In the order of their numbers. */
  readonly assets: readonly AssetFacts[];
}

/** What these actions need. */
export interface CheckResultMeans {
  readonly resultAssets: {
    of(
      accountId: string,
      checkId: string,
      resultIds: readonly string[],
    ): Promise<ReadonlyMap<string, readonly AssetFacts[]>>;
    read(accountId: string, checkId: string, resultId: string, number: number): Promise<AssetFile | null>;
  };
  readonly download: Downloads;
  readonly checkResults: {
    list(
      accountId: string,
      checkId: string,
      filter: ResultFilter,
      page: { limit: number; offset: number },
    ): Promise<{ rows: StoredResult[]; total: number }>;
    walk(
      accountId: string,
      checkId: string,
      filter: ResultFilter,
      before: string | null,
      limit: number,
    ): Promise<StoredResult[]>;
    find(accountId: string, checkId: string, id: string): Promise<StoredResult | null>;
    subject(accountId: string, checkId: string): Promise<Subject | null>;
  };
  /** The part of a result that belongs to the check's type. Absent details are of results without a probe. */
  readonly describeResult: (checkType: CheckType, result: StoredResult, exchange: JsonObject | null) => JsonObject;
}

/** All of them refuse with `not-found` a check or result that is not the account's. */
export interface CheckResultActions {
  /** Newest first. */
  list(
    caller: Caller,
    checkId: string,
    question: ResultQuestion,
    page: { limit: number; offset: number },
  ): Promise<{ rows: ShownResult[]; total: number }>;
  /** Newest first, from below the result `after` on; `nextId` = where to go on, null at the end. */
  walk(
    caller: Caller,
    checkId: string,
    question: ResultQuestion,
    after: string | null,
    limit: number,
  ): Promise<{ rows: ShownResult[]; nextId: string | null }>;
  find(caller: Caller, checkId: string, id: string): Promise<ShownResult>;
  /**
   * The file of an asset; refuses with `not-found` one that is not, or no longer, kept, and with `unavailable` while too many
   * are downloaded. The signal gives up waiting.
   */
  asset(caller: Caller, checkId: string, id: string, number: number, signal: AbortSignal): Promise<AssetDownload>;
}

export function createCheckResultActions(means: CheckResultMeans): CheckResultActions {
  const { checkResults, resultAssets, download } = means;
  const subjectOf = async (caller: Caller, checkId: string) => {
    requirePermission(caller, 'read');
    const subject = await checkResults.subject(caller.accountId, checkId);
    if (subject === null) throw notFound('check', checkId);
    return subject;
  };
  const shownAll = async (rows: readonly StoredResult[], subject: Subject): Promise<ShownResult[]> => {
    const [first] = rows;
    const ids = rows.map(({ id }) => id);
    const hasAssets = first !== undefined && typesWithAssets.has(subject.checkType);
    const assets = hasAssets ? await resultAssets.of(first.accountId, first.checkId, ids) : null;
    return rows.map((result) => shown(result, subject, means, assets?.get(result.id)));
  };
  return {
    async list(caller, checkId, { checkType, ...filter }, page) {
      const subject = await subjectOf(caller, checkId);
      if (checkType !== undefined && checkType !== subject.checkType) return { rows: [], total: 0 };
      const { rows, total } = await checkResults.list(caller.accountId, checkId, filter, page);
      return { rows: await shownAll(rows, subject), total };
    },
    async walk(caller, checkId, { checkType, ...filter }, after, limit) {
      const subject = await subjectOf(caller, checkId);
      if (checkType !== undefined && checkType !== subject.checkType) return { rows: [], nextId: null };
      // One more than asked for tells whether there is a next page.
      const found = await checkResults.walk(caller.accountId, checkId, filter, after, limit + 1);
      const rows = await shownAll(found.slice(0, limit), subject);
      return { rows, nextId: found.length > limit ? (rows.at(-1)?.result.id ?? null) : null };
    },
    async find(caller, checkId, id) {
      const subject = await subjectOf(caller, checkId);
      const result = await checkResults.find(caller.accountId, checkId, id);
      const [row] = result === null ? [] : await shownAll([result], subject);
      if (row === undefined) throw notFound('check result', id);
      return row;
    },
    async asset(caller, checkId, id, number, signal) {
      await subjectOf(caller, checkId);
      const open = async () => {
        const asset = await resultAssets.read(caller.accountId, checkId, id, number);
        if (asset === null) throw notFound('asset', String(number));
        return asset;
      };
      return download(caller.accountId, open, signal);
    },
  };
}

interface Subject {
  readonly name: string;
  readonly checkType: CheckType;
}

/** A result with its check's name, the part that belongs to its type, and its assets. */
export function shown(
  result: StoredResult,
  { name, checkType }: Subject,
  { describeResult }: Pick<CheckResultMeans, 'describeResult'>,
  assets: readonly AssetFacts[] = [],
): ShownResult {
  // A slot that was not run was not probed: nothing belongs to its type.
  const described = result.outcome === 'missed' ? null : describeResult(checkType, result, result.exchange);
  return { result, checkName: name, checkType, described, assets };
}
