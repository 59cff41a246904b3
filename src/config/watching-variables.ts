// The variables of who watches Tocsin: a service outside that it calls, and a channel for its own faults.
import { isUuid } from '#lib/id.ts';
import type { ConfigVariable } from './config-variable.ts';

/** A channel of an account. */
export interface ChannelPlace {
  readonly accountId: string;
  readonly alertChannelId: number;
}

/** Variables of who watches Tocsin. */
export const watchingVariables = {
  TOCSIN_WATCHDOG_URL: {
    fallback: 'none',
    meaning:
      'URL that is called (GET) each minute while every step makes progress, such as the ping URL of a heartbeat check at [another Tocsin](operating.md#watch-tocsin). The rules of `TOCSIN_EGRESS` do not apply.',
    right: 'an http or https URL of another system',
    secret: true,
    read(text) {
      const url = URL.parse(text);
      return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
    },
  } satisfies ConfigVariable<string>,
  TOCSIN_NOTICE_CHANNEL: {
    fallback: 'none',
    meaning:
      'Alert channel that receives notices about [problems of Tocsin itself](operating.md#watch-tocsin) that last longer than five minutes.',
    right: '<account ID>/<channel ID>, such as 3f0c9a52-7d1e-4c58-9b11-6f2f0f6a4b27/1',
    read(text): ChannelPlace | undefined {
      const [, accountId = '', channel = ''] = /^([0-9a-f-]+)\/([1-9]\d{0,14})$/i.exec(text) ?? [];
      return isUuid(accountId) ? { accountId: accountId.toLowerCase(), alertChannelId: Number(channel) } : undefined;
    },
  } satisfies ConfigVariable<ChannelPlace>,
};
