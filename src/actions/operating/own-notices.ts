// Notices about Tocsin itself, for every account and for the channel that the operator named (docs/decisions/0135).
import type { AffectedAccounts, Affected } from '#store/accounts/affected-accounts.ts';
import { withZonedTimes } from '#domain/accounts/time-zone.ts';
import { isAlive, type ProcessSign, servedLocations, type ShownLocation } from '#domain/accounts/process.ts';
import type { Store } from '#store/store.ts';
import { accountZone, type AccountZoneDeps } from '../accounts/account-zone.ts';
import { firstOf, absenceNotice, gapNotice, type Notice, type NoticeDeps } from './notices.ts';
import type { WatchdogState } from '#domain/accounts/watchdog.ts';
import {
  copiesFailAfterMs,
  copiesFailSince,
  type CopyPlaceName,
  copyPlaces,
  type PageCopiesState,
} from '#domain/status-pages/page-copies.ts';

export interface OwnNoticeDeps
  extends AccountZoneDeps, Pick<NoticeDeps, 'gaps' | 'ownFaultNotices' | 'processNotices'>, Pick<Store, 'processes'> {
  readonly affectedAccounts: AffectedAccounts;
  /** All known locations. */
  readonly locations: () => readonly ShownLocation[];
  /** Location of this process. */
  readonly location: ProcessSign['location'];
  readonly now: () => number;
}

/**
 * Problems of Tocsin in every account, with the number of accounts and no names of theirs. Not what people did on
 * purpose: a restore, and deliveries that are held. Times are in the zone of the account.
 */
export async function ownNotices(deps: OwnNoticeDeps, accountId: string): Promise<readonly Notice[]> {
  const timeZone = await accountZone(deps, accountId);
  const absence = await deps.gaps.lastAbsence();
  const notices = [
    ...(absence?.isRollback === true ? [] : absenceNotice(absence)),
    ...(await gapOfAll(deps)),
    ...(await deps.ownFaultNotices()),
    ...(await silentLocations(deps)),
    ...(await missingBrowsers(deps)),
    ...(await deps.processNotices()),
  ];
  return notices.map((notice) => ({ ...notice, message: withZonedTimes(notice.message, timeZone) }));
}

async function gapOfAll({ affectedAccounts }: OwnNoticeDeps): Promise<Notice[]> {
  const gap = await affectedAccounts.gap();
  if (gap === null) return [];
  return gapNotice(gap).map((notice) => ({ ...notice, message: `${notice.message} Affected: ${accounts(gap)}.` }));
}

/** Only locations that had a runner in the last 30 days: any account can name others. */
async function silentLocations({ affectedAccounts, locations }: OwnNoticeDeps): Promise<Notice[]> {
  const notices: Notice[] = [];
  for (const { code, silentSince } of locations()) {
    if (silentSince === null) continue;
    const affected = await affectedAccounts.byLocation(code);
    if (affected.checks === 0) continue;
    notices.push({
      id: `location-silent:${code}`,
      kind: 'location-silent',
      since: silentSince,
      subject: code,
      message: `No process runs checks at location ${code} since ${new Date(silentSince).toISOString()}. Affected: ${checks(affected)}.`,
      action: `Start a process with the role runner and TOCSIN_LOCATION=${code}.`,
    });
  }
  return notices;
}

async function missingBrowsers({ affectedAccounts, processes, location, now }: OwnNoticeDeps): Promise<Notice[]> {
  const [all, known] = await Promise.all([processes.list(), processes.locations()]);
  const at = now();
  const lacking = all.filter((one) => one.noBrowserSince !== null && isAlive(one, at));
  const [own] = servedLocations(all, location, known, at);
  const notices: Notice[] = [];
  for (const code of new Set(lacking.map((one) => one.location.code))) {
    const affected = await affectedAccounts.byBrowser(code, code === own?.code);
    if (affected.checks === 0) continue;
    const there = lacking.filter((one) => one.location.code === code);
    notices.push({
      id: `browser-missing:${code}`,
      kind: 'browser-missing',
      since: Math.min(...there.map(({ noBrowserSince }) => noBrowserSince ?? at)),
      subject: code,
      message: `Chromium is not installed on ${firstOf([...new Set(there.map(({ host }) => host))])}, so browser checks there are inconclusive. Affected: ${checks(affected, 'browser check')}.`,
      action: 'Run npm ci on that host, or set TOCSIN_CHROMIUM to the path of Chromium and restart.',
    });
  }
  return notices;
}

function accounts({ accounts: count }: Pick<Affected, 'accounts'>): string {
  return count === 1 ? '1 account' : `${count} accounts`;
}

function checks(affected: Affected, what = 'check'): string {
  return `${affected.checks} active ${what}${affected.checks === 1 ? '' : 's'} of ${accounts(affected)}`;
}

/** Reports that the channel does not exist. @param since when it was found missing, epoch ms */
export function missingChannelNotice(since: number): Notice {
  return {
    id: 'notice-channel-missing',
    kind: 'notice-channel-missing',
    since,
    subject: 'Tocsin',
    message: 'The channel in TOCSIN_NOTICE_CHANNEL does not exist, so nobody receives notices about Tocsin itself.',
    action: 'Set TOCSIN_NOTICE_CHANNEL to <account ID>/<channel ID> of an existing channel.',
  };
}

interface OwnFaultDeps extends Pick<Store, 'processes'> {
  readonly now: () => number;
}

/** Returns the current notices. Host names of the installation are not named: every account reads them. */
export function createOwnFaultNotices({ processes, now }: OwnFaultDeps): () => Promise<readonly Notice[]> {
  return async () => {
    const at = now();
    const living = (await processes.list()).filter((one) => isAlive(one, at));
    const codes = [...new Set(living.map(({ location }) => location.code))];
    return codes.flatMap((code) => resolverNotice(code, living));
  };
}

function resolverNotice(code: string, living: readonly ProcessSign[]): Notice[] {
  const since = living.flatMap(({ location, resolverDownSince: down }) =>
    location.code === code && down !== null ? [down] : [],
  );
  if (since.length === 0) return [];
  return [
    {
      id: `resolver-down:${code}`,
      kind: 'resolver-down',
      since: Math.min(...since),
      subject: code,
      message: `The name servers at location ${code} do not answer. Checks that need a name lookup there are inconclusive (resolver) and send no alerts.`,
      action: 'Fix the name servers in /etc/resolv.conf of that host. See docs/operating.md#gaps.',
    },
  ];
}

/** A state whose call is overdue for longer than this belongs to a watchdog that is no longer used, ms. */
const forgottenAfterMs = 300_000;
const action = 'See GET /health/ready of each process, its log, and docs/operating.md#watch-tocsin.';

/** @param isConfigured whether this process knows the URL */
export function watchdogNotices(state: WatchdogState | null, isConfigured: boolean, now: number): Notice[] {
  if (state === null) return [];
  if (now - state.dueAt > forgottenAfterMs) {
    return isConfigured ? [withheld(state.dueAt, ['no process with the role upkeep is running'])] : [];
  }
  if (state.withheldSince !== null) return [withheld(state.withheldSince, state.reasons)];
  if (state.failingSince === null) return [];
  const message = `The watchdog could not be called: ${state.error ?? 'unknown'}.`;
  return [{ ...common('watchdog-failed', state.failingSince), message, action }];
}

function withheld(since: number, reasons: readonly string[]): Notice {
  const message = `The watchdog is not called because Tocsin does not work: ${reasons.join('; ')}.`;
  return { ...common('watchdog-withheld', since), message, action };
}

function common(kind: string, since: number): Pick<Notice, 'id' | 'kind' | 'since' | 'subject'> {
  return { id: kind, kind, since, subject: 'Tocsin' };
}

const variables: Readonly<Record<CopyPlaceName, string>> = {
  folder: 'TOCSIN_PUBLISH_FOLDER',
  bucket: 'TOCSIN_PUBLISH_BUCKET',
};

/** @param stateOf what the processes know of the copies in a place; null = nobody ever made any */
export async function pageCopyNotices(
  stateOf: (place: CopyPlaceName) => Promise<PageCopiesState | null>,
  now: number,
): Promise<Notice[]> {
  const notices: Notice[] = [];
  for (const place of copyPlaces) {
    const state = await stateOf(place);
    const failingSince = copiesFailSince(state, now);
    if (failingSince === null || now - failingSince < copiesFailAfterMs) continue;
    notices.push({
      id: `page-copies-failed:${place}`,
      kind: 'page-copies-failed',
      since: failingSince,
      subject: variables[place],
      message: `Copies of status pages in the ${place} are not up to date: ${state?.error ?? 'unknown'}.`,
      action: 'Tocsin keeps trying. See docs/status-pages.md#keep-pages-up-when-tocsin-is-down.',
    });
  }
  return notices;
}
