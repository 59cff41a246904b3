// Notice about checks whose failures notify no channel.
import type { Store } from '#store/store.ts';
import { firstOf } from '../operating/notice-words.ts';
import type { Notice } from '../operating/notices.ts';

/** One notice for all such checks. */
export function createSilentCheckNotices({
  checksWithoutChannels,
}: Pick<Store, 'checksWithoutChannels'>): (accountId: string) => Promise<Notice[]> {
  return async (accountId) => {
    const found = await checksWithoutChannels.ofAccount(accountId);
    if (found === null) return [];
    const { checks, among, since } = found;
    const reported = checks === 1 ? '1 active check has' : `${checks} active checks have`;
    return [
      {
        id: 'notifies-nobody',
        kind: 'notifies-nobody',
        since,
        subject: checks === 1 ? (among[0] ?? '') : `${checks} checks`,
        message: `${reported} no alert channel: ${firstOf(among)}.`,
        action:
          'Subscribe a channel that sends failures (PUT /v1/alert-channels/{id}/subscriptions with {"checkId": "…"} or {"groupId": …}), or mute the checks.',
      },
    ];
  };
}
