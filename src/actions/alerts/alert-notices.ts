// Notices about alert storms, checks whose failures notify no channel, and subscribed channels that send nothing.
import type { Store } from '#store/store.ts';
import { firstOf, type Notice } from '../operating/notices.ts';

/** One notice for all such checks, and one for all such channels. */
export function createSilentCheckNotices({
  checksWithoutChannels,
}: Pick<Store, 'checksWithoutChannels'>): (accountId: string) => Promise<Notice[]> {
  return async (accountId) => [
    ...ofChecks(await checksWithoutChannels.ofAccount(accountId)),
    ...ofChannels(await checksWithoutChannels.switchedOff(accountId)),
  ];
}

type Found<Method extends keyof Store['checksWithoutChannels']> = Awaited<
  ReturnType<Store['checksWithoutChannels'][Method]>
>;

function ofChecks(found: Found<'ofAccount'>): Notice[] {
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
}

function ofChannels(found: Found<'switchedOff'>): Notice[] {
  if (found === null) return [];
  const { channels, among, since } = found;
  const sending = channels === 1 ? '1 subscribed alert channel sends' : `${channels} subscribed alert channels send`;
  return [
    {
      id: 'channels-off',
      kind: 'channels-off',
      since,
      subject: channels === 1 ? (among[0] ?? '') : `${channels} channels`,
      message: `${sending} nothing, because all alerts are switched off, as after an import: ${firstOf(among)}.`,
      action:
        'Send a test message (POST /v1/alert-channels/{id}/test). Once it arrives, switch alerts on (PUT /v1/alert-channels/{id} with {"sendFailure": true, "sendRecovery": true}), or delete the channel.',
    },
  ];
}

/** One notice while the account has a storm. */
export function createStormNotices({
  alertStorms,
}: Pick<Store, 'alertStorms'>): (accountId: string) => Promise<Notice[]> {
  return async (accountId) => {
    const since = await alertStorms.since(accountId);
    if (since === null) return [];
    return [
      {
        id: 'alert-storm',
        kind: 'alert-storm',
        since,
        subject: 'Alert storm',
        message:
          'Many checks started to fail or recover within a minute. Channels for people receive grouped notifications. New failures are sent within a minute.',
        action:
          'See GET /v1/deliveries?status=collecting for the next ones. `digestThreshold` of the account sets when alerts are grouped.',
      },
    ];
  };
}
