// What the page behind a RESULT_LINK shows: one result, to whoever has the link.
import { typesWithAssets } from '#domain/results/asset.ts';
import { isSampleResult } from '#domain/alerts/sample-alert.ts';
import type { Clock } from '#lib/clock.ts';
import type { AssetDownload, Downloads } from './asset-downloads.ts';
import { type CheckResultMeans, shown, type ShownResult } from './check-results.ts';
import { notFound, Refusal } from '../refusal.ts';
import type { LinkedResult, ResultLinks } from './result-links.ts';

/** What this action needs. */
export interface ResultPageMeans extends Pick<CheckResultMeans, 'describeResult' | 'resultAssets'> {
  /** Not that of downloads with a key: whoever has a link takes no room from those. */
  readonly download: Downloads;
  readonly checkResults: Pick<CheckResultMeans['checkResults'], 'find' | 'subject'>;
  readonly accounts: { list(ids: readonly string[]): Promise<readonly object[]> };
  readonly links: Pick<ResultLinks, 'open'>;
  readonly clock: Clock;
}

/** Opens a link. */
export interface ResultPageActions {
  /** Refuses (`not-found`) a link that is wrong or has expired, and a result that is no longer kept, in the same words. */
  open(token: string): Promise<ShownResult & { readonly expiresAt: number }>;
  /**
   * The file of a screenshot of the linked result (docs/decisions/0083); refuses with `not-found` like `open`, also what is no
   * screenshot, and with `unavailable` while too many are downloaded. The signal gives up waiting.
   */
  screenshot(token: string, number: number, signal: AbortSignal): Promise<AssetDownload>;
  /** Whether a test message or a preview brought this link: there is no result behind it, and nothing is wrong. */
  isOfTestMessage(token: string): boolean;
  /** Whether the link is right, and the check of its result was deleted: nothing else is wrong with it (docs/decisions/0103). */
  isOfDeletedCheck(token: string): Promise<boolean>;
}

export function createResultPageActions(means: ResultPageMeans): ResultPageActions {
  const { accounts, checkResults, resultAssets, download, links, clock } = means;
  const noResult = (): Refusal =>
    new Refusal(
      'not-found',
      'This link is invalid or expired (links are valid for 30 days), or its result is no longer stored.',
    );
  const assetsOf = async (linked: LinkedResult) => {
    const { accountId, checkId, resultId } = linked;
    return (await resultAssets.of(accountId, checkId, [resultId])).get(resultId);
  };
  return {
    isOfTestMessage(token) {
      const linked = links.open(token, clock.now());
      return linked !== null && isSampleResult(linked.resultId);
    },
    async isOfDeletedCheck(token) {
      const linked = links.open(token, clock.now());
      if (linked === null || (await checkResults.subject(linked.accountId, linked.checkId)) !== null) return false;
      // An account that was moved to another installation has deleted nothing.
      return (await accounts.list([linked.accountId])).length > 0;
    },
    async open(token) {
      const linked = links.open(token, clock.now());
      const result = linked && (await checkResults.find(linked.accountId, linked.checkId, linked.resultId));
      const subject = linked && (await checkResults.subject(linked.accountId, linked.checkId));
      if (!result || !subject) throw noResult();
      const assets = typesWithAssets.has(subject.checkType) ? await assetsOf(linked) : [];
      return { ...shown(result, subject, means, assets), expiresAt: linked.expiresAt };
    },
    async screenshot(token, number, signal) {
      const linked = links.open(token, clock.now());
      if (linked === null) throw noResult();
      const { accountId, checkId, resultId } = linked;
      const open = async () => {
        const asset = await resultAssets.read(accountId, checkId, resultId, number);
        if (asset?.sort !== 'screenshot') throw notFound('screenshot', String(number));
        return asset;
      };
      return download(accountId, open, signal);
    },
  };
}
