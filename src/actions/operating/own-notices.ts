// Notices about Tocsin itself, for the channel that the operator named (docs/decisions/0135).
import { withZonedTimes } from '#domain/accounts/time-zone.ts';
import { accountZone, type AccountZoneDeps } from '../accounts/account-zone.ts';
import { absenceNotice, gapNotice, type Notice, type NoticeDeps } from './notices.ts';

/** Dependencies of these notices. */
export type OwnNoticeDeps = AccountZoneDeps &
  Pick<NoticeDeps, 'gaps' | 'ownFaultNotices' | 'silentLocations' | 'missingBrowsers' | 'processNotices'>;

/**
 * What the account of the channel reads about problems of Tocsin. Not what people did on purpose: a restore, and
 * deliveries that are held. Times are in the zone of the account.
 */
export async function ownNotices(deps: OwnNoticeDeps, accountId: string): Promise<readonly Notice[]> {
  const absence = await deps.gaps.lastAbsence();
  const timeZone = await accountZone(deps, accountId);
  const notices = [
    ...(absence?.isRollback === true ? [] : absenceNotice(absence)),
    ...gapNotice(await deps.gaps.ofAccount(accountId)),
    ...(await deps.ownFaultNotices()),
    ...(await deps.silentLocations(accountId)),
    ...(await deps.missingBrowsers(accountId)),
    ...(await deps.processNotices()),
  ];
  return notices.map((notice) => ({ ...notice, message: withZonedTimes(notice.message, timeZone) }));
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
