// What a caller may see of the results of checks (reference §4.7, decisions: What is kept of a result).
import type { Caller } from '#domain/api-key.ts';
import type { CheckType } from '#domain/check.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Result } from '#domain/result.ts';
import { requirePermission } from './permission.ts';
import { notFound } from './refusal.ts';

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

/** A result ready to be shown, with the part that belongs to the check's type, as `{apiCheckResult: …}`. */
export interface ShownResult {
  readonly result: StoredResult;
  readonly checkName: string;
  readonly checkType: CheckType;
  readonly described: JsonObject;
}

/** What these actions need. */
export interface CheckResultMeans {
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
    subject(accountId: string, checkId: string): Promise<{ name: string; checkType: CheckType } | null>;
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
}

export function createCheckResultActions(means: CheckResultMeans): CheckResultActions {
  const { checkResults } = means;
  const subjectOf = async (caller: Caller, checkId: string) => {
    requirePermission(caller, 'read');
    const subject = await checkResults.subject(caller.accountId, checkId);
    if (subject === null) throw notFound('check', checkId);
    return subject;
  };
  return {
    async list(caller, checkId, { checkType, ...filter }, page) {
      const subject = await subjectOf(caller, checkId);
      if (checkType !== undefined && checkType !== subject.checkType) return { rows: [], total: 0 };
      const { rows, total } = await checkResults.list(caller.accountId, checkId, filter, page);
      return { rows: rows.map((result) => shown(result, subject, means)), total };
    },
    async walk(caller, checkId, { checkType, ...filter }, after, limit) {
      const subject = await subjectOf(caller, checkId);
      if (checkType !== undefined && checkType !== subject.checkType) return { rows: [], nextId: null };
      // One more than asked for tells whether there is a next page.
      const found = await checkResults.walk(caller.accountId, checkId, filter, after, limit + 1);
      const rows = found.slice(0, limit).map((result) => shown(result, subject, means));
      return { rows, nextId: found.length > limit ? (rows.at(-1)?.result.id ?? null) : null };
    },
    async find(caller, checkId, id) {
      const subject = await subjectOf(caller, checkId);
      const result = await checkResults.find(caller.accountId, checkId, id);
      if (result === null) throw notFound('check result', id);
      return shown(result, subject, means);
    },
  };
}

/** A result with its check's name and the part that belongs to its type. */
export function shown(
  result: StoredResult,
  { name, checkType }: { readonly name: string; readonly checkType: CheckType },
  { describeResult }: Pick<CheckResultMeans, 'describeResult'>,
): ShownResult {
  // A slot that was not run was not probed: nothing belongs to its type.
  const described = result.outcome === 'missed' ? {} : describeResult(checkType, result, result.exchange);
  return { result, checkName: name, checkType, described };
}
