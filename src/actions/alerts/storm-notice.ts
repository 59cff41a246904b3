// Notice about an alert storm: notifications are grouped until it is over.
import type { Store } from '#store/store.ts';
import type { Notice } from '../operating/notices.ts';

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
