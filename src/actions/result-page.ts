// What the page behind a RESULT_LINK shows: one result, to whoever has the link.
import { isSampleResult } from '#domain/sample-alert.ts';
import type { Clock } from '#lib/clock.ts';
import { type CheckResultMeans, shown, type ShownResult } from './check-results.ts';
import { Refusal } from './refusal.ts';
import type { ResultLinks } from './result-links.ts';

/** What this action needs. */
export interface ResultPageMeans extends Pick<CheckResultMeans, 'describeResult'> {
  readonly checkResults: Pick<CheckResultMeans['checkResults'], 'find' | 'subject'>;
  readonly links: Pick<ResultLinks, 'open'>;
  readonly clock: Clock;
}

/** Opens a link. */
export interface ResultPageActions {
  /** Refuses (`not-found`) a link that is wrong or has expired, and a result that is no longer kept, in the same words. */
  open(token: string): Promise<ShownResult & { readonly expiresAt: number }>;
  /** Whether a test message or a preview brought this link: there is no result behind it, and nothing is wrong. */
  isOfTestMessage(token: string): boolean;
}

export function createResultPageActions(means: ResultPageMeans): ResultPageActions {
  const { checkResults, links, clock } = means;
  return {
    isOfTestMessage(token) {
      const linked = links.open(token, clock.now());
      return linked !== null && isSampleResult(linked.resultId);
    },
    async open(token) {
      const linked = links.open(token, clock.now());
      const result = linked && (await checkResults.find(linked.accountId, linked.checkId, linked.resultId));
      const subject = linked && (await checkResults.subject(linked.accountId, linked.checkId));
      if (result && subject) return { ...shown(result, subject, means), expiresAt: linked.expiresAt };
      throw new Refusal(
        'not-found',
        'This link is wrong, has expired (after 30 days), or its result is no longer kept.',
      );
    },
  };
}
