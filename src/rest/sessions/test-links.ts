// Links to the pages of test sessions and of their results, which need no key.
import type { ResultLinks } from '#actions/results/result-links.ts';
import type { SessionLinks } from '#actions/sessions/session-links.ts';
import type { StoredTestRun, StoredTestSession } from '#domain/sessions/test-session.ts';

/** What the responses of sessions link to. */
export interface TestLinks {
  readonly results: Pick<ResultLinks, 'link'>;
  readonly sessions: Pick<SessionLinks, 'link'>;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The page of a result. @param resultId that of the run, or of an attempt */
export function testResultLink(
  { accountId }: StoredTestSession,
  { checkId }: StoredTestRun,
  resultId: string,
  { results, now }: Pick<TestLinks, 'results' | 'now'>,
): string {
  return results.link(accountId, checkId ?? resultId, resultId, now());
}
