// Actions on the results of checks (reference §4.7, decisions: What is kept of a result).
import type { Slice } from '#store/base/database.ts';
import type { ResultFilter, StoredResult } from '#store/history/check-results.ts';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { AssetFacts } from '#domain/results/asset.ts';
import type { CheckType } from '#domain/checks/check.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Downloads } from './asset-downloads.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound, orNotFound } from '../refusal.ts';

/** The filters of a request. A type that is not the check's own matches nothing. */
export interface ResultQuestion extends ResultFilter {
  readonly checkType?: string;
}

/** A result for a response, with the part of its check type; null for a missed run. */
export interface ShownResult {
  readonly result: StoredResult;
  readonly checkName: string;
  readonly checkType: CheckType;
  readonly described: JsonObject | null;
  /** Ordered by their numbers. */
  readonly assets: readonly AssetFacts[];
}

export interface CheckResultDeps extends Pick<Store, 'resultAssets' | 'checkResults'> {
  readonly download: Downloads;
  /** The part of a result specific to the check type. Details are absent if nothing was probed. */
  readonly describeResult: (checkType: CheckType, result: StoredResult, exchange: JsonObject | null) => JsonObject;
}

/** All actions refuse (`not-found`) checks and results of other accounts. */
export type CheckResultActions = ReturnType<typeof createCheckResultActions>;

export function createCheckResultActions(deps: CheckResultDeps) {
  const { checkResults, resultAssets, download } = deps;
  const subjectOf = async (caller: Caller, checkId: string) => {
    requirePermission(caller, 'read');
    return orNotFound(await checkResults.subject(caller.accountId, checkId), 'check', checkId);
  };
  const shownAll = async (rows: readonly StoredResult[], subject: Subject): Promise<ShownResult[]> => {
    const all = rows.map((result) => shown(result, subject, deps));
    const ids = all.filter(mayHaveAssets).map(({ result }) => result.id);
    const [first] = rows;
    if (ids.length === 0 || first === undefined) return all;
    const assets = await resultAssets.of(first.accountId, first.checkId, ids);
    return all.map((each) => ({ ...each, assets: assets.get(each.result.id) ?? [] }));
  };
  return {
    /** Newest first. */
    async list(caller: Caller, checkId: string, { checkType, ...filter }: ResultQuestion, page: Slice) {
      const subject = await subjectOf(caller, checkId);
      if (checkType !== undefined && checkType !== subject.checkType) return { rows: [], total: 0 };
      const { rows, total } = await checkResults.list(caller.accountId, checkId, filter, page);
      return { rows: await shownAll(rows, subject), total };
    },
    /** Newest first, starting after the result `after`; `nextId` = cursor of the next page, null on the last page. */
    async walk(
      caller: Caller,
      checkId: string,
      { checkType, ...filter }: ResultQuestion,
      after: string | null,
      limit: number,
    ): Promise<{ rows: ShownResult[]; nextId: string | null }> {
      const subject = await subjectOf(caller, checkId);
      if (checkType !== undefined && checkType !== subject.checkType) return { rows: [], nextId: null };
      // Reads one more than requested to find out whether there is a next page.
      const found = await checkResults.walk(caller.accountId, checkId, filter, after, limit + 1);
      const rows = await shownAll(found.slice(0, limit), subject);
      return { rows, nextId: found.length > limit ? (rows.at(-1)?.result.id ?? null) : null };
    },
    async find(caller: Caller, checkId: string, id: string): Promise<ShownResult> {
      const subject = await subjectOf(caller, checkId);
      const result = await checkResults.find(caller.accountId, checkId, id);
      const [row] = result === null ? [] : await shownAll([result], subject);
      if (row === undefined) throw notFound('check result', id);
      return row;
    },
    /**
     * The file of an asset. Refuses `not-found` if it is not stored, and `unavailable` during too many downloads. The
     * signal cancels waiting.
     */
    async asset(caller: Caller, checkId: string, id: string, number: number, signal: AbortSignal) {
      await subjectOf(caller, checkId);
      const open = async () => {
        return orNotFound(await resultAssets.read(caller.accountId, checkId, id, number), 'asset', String(number));
      };
      return download(caller.accountId, open, signal);
    },
  };
}

interface Subject {
  readonly name: string;
  readonly checkType: CheckType;
}

/** A result with the name of its check and the part of its type, without its assets. */
export function shown(
  result: StoredResult,
  { name, checkType }: Subject,
  { describeResult }: Pick<CheckResultDeps, 'describeResult'>,
): ShownResult {
  // A missed run was not probed, so it has no type-specific part.
  const described = result.outcome === 'missed' ? null : describeResult(checkType, result, result.exchange);
  return { result, checkName: name, checkType, described, assets: [] };
}

/** Whether results of its kind list assets. */
export function mayHaveAssets({ described }: ShownResult): boolean {
  return described !== null && 'assets' in described;
}
