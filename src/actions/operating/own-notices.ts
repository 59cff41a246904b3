// Notices about Tocsin itself, for the channel that the operator named (docs/decisions/0135).
import type { AffectedAccounts, Affected } from '#store/accounts/affected-accounts.ts';
import { withZonedTimes } from '#domain/accounts/time-zone.ts';
import { isAlive, type ProcessSign, servedLocations, type ShownLocation } from '#domain/accounts/process.ts';
import type { Store } from '#store/store.ts';
import { accountZone, type AccountZoneDeps } from '../accounts/account-zone.ts';
import { firstOf } from './notice-words.ts';
import { absenceNotice, gapNotice, type Notice, type NoticeDeps } from './notices.ts';

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
