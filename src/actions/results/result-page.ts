// The page of a RESULT_LINK, which shows one result without a key.
import type { Store } from '#store/store.ts';
import { isSampleResult } from '#domain/alerts/sample-alert.ts';
import type { Clock } from '#lib/clock.ts';
import type { AssetDownload, Downloads } from './asset-downloads.ts';
import type { FindPingMasker } from '../heartbeats/ping-masker.ts';
import { accountZone, type AccountZoneDeps } from '../accounts/account-zone.ts';
import { type CheckResultDeps, mayHaveAssets, shown, type ShownResult } from './check-results.ts';
import { findTestResult } from '../sessions/test-results.ts';
import { notFound, Refusal } from '../refusal.ts';
import type { ResultLinks } from '../signed-links.ts';

type LinkedResult = NonNullable<ReturnType<ResultLinks['open']>>;

export interface ResultPageDeps
  extends
    Pick<Store, 'pings' | 'testEvents' | 'testSessions'>,
    Pick<CheckResultDeps, 'describeResult' | 'resultAssets'>,
    AccountZoneDeps {
  /** Separate from downloads with a key, so that link holders cannot use up their slots. */
  readonly download: Downloads;
  readonly checkResults: Pick<CheckResultDeps['checkResults'], 'find' | 'subject'>;
  readonly findPingMasker: FindPingMasker;
  readonly links: Pick<ResultLinks, 'open'>;
  readonly clock: Clock;
}

/** The result of a link. */
export interface LinkedPage extends ShownResult {
  /** When the link expires, epoch ms. */
  readonly expiresAt: number;
  /** IANA name of the zone of its times. */
  readonly timeZone: string;
  /** Body of the ping of a heartbeat, with secrets masked; '' = none. */
  readonly pingBody: string;
}

/** Opens a link. */
export type ResultPageActions = ReturnType<typeof createResultPageActions>;

export function createResultPageActions(deps: ResultPageDeps) {
  const { accounts, checkResults, resultAssets, download, links, clock } = deps;
  const noResult = (): Refusal =>
    new Refusal(
      'not-found',
      'This link is invalid or expired (links are valid for 30 days), or its result is no longer stored.',
    );
  const assetsOf = async (linked: LinkedResult) => {
    const { accountId, checkId, resultId } = linked;
    return (await resultAssets.of(accountId, checkId, [resultId])).get(resultId) ?? [];
  };
  const ofTest = async (linked: LinkedResult | null): Promise<ShownResult | null> =>
    linked && ((await findTestResult(linked.accountId, linked.resultId, deps))?.shown ?? null);
  return {
    /** Whether the link comes from a test message or preview, which have no result. */
    isOfTestMessage(token: string): boolean {
      const linked = links.open(token, clock.now());
      return linked !== null && isSampleResult(linked.resultId);
    },
    /** Whether the link is valid but the check of its result was deleted (docs/decisions/0103). */
    async isOfDeletedCheck(token: string): Promise<boolean> {
      const linked = links.open(token, clock.now());
      // The definition of a test is not saved.
      if (linked === null || linked.checkId === linked.resultId) return false;
      if ((await checkResults.subject(linked.accountId, linked.checkId)) !== null) return false;
      // A moved account has not deleted its checks.
      return (await accounts.list([linked.accountId])).length > 0;
    },
    /** Refuses (`not-found`) an invalid or expired link and a result that is no longer stored, with the same message. */
    async open(token: string): Promise<LinkedPage> {
      const linked = links.open(token, clock.now());
      const result = linked && (await checkResults.find(linked.accountId, linked.checkId, linked.resultId));
      const subject = linked && (await checkResults.subject(linked.accountId, linked.checkId));
      const isStored = result !== null && subject !== null;
      const found = isStored ? shown(result, subject, deps) : await ofTest(linked);
      if (linked === null || found === null) throw noResult();
      const assets = isStored && mayHaveAssets(found) ? await assetsOf(linked) : [];
      const timeZone = await accountZone(deps, linked.accountId);
      const page = {
        ...withoutHooks({ ...found, assets }),
        expiresAt: linked.expiresAt,
        timeZone,
        pingBody: '',
      };
      return found.checkType === 'HEARTBEAT' ? withPing(page, deps) : page;
    },
    /**
     * A screenshot of the linked result (docs/decisions/0083). Refuses `not-found` like `open`, also for other assets,
     * and `unavailable` during too many downloads. The signal cancels waiting.
     */
    async screenshot(token: string, number: number, signal: AbortSignal): Promise<AssetDownload> {
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

/** Without results and output of setup and teardown scripts, which may hold tokens that only these know. */
function withoutHooks(of: ShownResult): ShownResult {
  const { described } = of;
  if (described === null || !('scripts' in described)) return of;
  return { ...of, described: { ...described, scripts: null, jobLog: null } };
}

/** With the body of its ping. Failure messages quote the first line of the body. */
async function withPing(page: LinkedPage, { pings, findPingMasker }: ResultPageDeps): Promise<LinkedPage> {
  const { accountId, checkId, id, message } = page.result;
  const hide = await findPingMasker(accountId, checkId);
  const body = (await pings.find(accountId, checkId, id))?.body ?? '';
  return { ...page, result: { ...page.result, message: message && hide(message) }, pingBody: hide(body) };
}
