// Notices about Tocsin itself, for the channel that the operator named (docs/decisions/0135).
import { accountZone } from '../accounts/account-zone.ts';
import { absenceNotice, gapNotice, type Notice, type NoticeDeps } from './notices.ts';

/** Dependencies of these notices. */
export type OwnNoticeDeps = Pick<
  NoticeDeps,
  'accounts' | 'serverTimeZone' | 'gaps' | 'ownFaultNotices' | 'silentLocations' | 'missingBrowsers' | 'processNotices'
>;

/**
 * What the account of the channel reads about problems of Tocsin. Not what people did on purpose: a restore, and
 * deliveries that are held.
 */
export async function ownNotices(deps: OwnNoticeDeps, accountId: string): Promise<readonly Notice[]> {
  const timeZone = await accountZone(deps, accountId);
  const absence = await deps.gaps.lastAbsence();
  return [
    ...(absence?.isRollback === true ? [] : absenceNotice(absence, timeZone)),
    ...gapNotice(await deps.gaps.ofAccount(accountId)),
    ...(await deps.ownFaultNotices()),
    ...(await deps.silentLocations(accountId, timeZone)),
    ...(await deps.missingBrowsers(accountId)),
    ...(await deps.processNotices()),
  ];
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
