// What the operator should know: dead channels of the account, and what this installation notices of itself.
import type { Caller } from '#domain/api-key.ts';
import { requirePermission } from './permission.ts';

/** Something to know, and what to do about it. */
export interface Notice {
  /** The same as long as it is about the same thing. */
  readonly id: string;
  readonly kind: string;
  /** Epoch ms. */
  readonly since: number;
  readonly subject: string;
  readonly message: string;
  readonly action: string;
}

/** What this action needs. */
export interface NoticeMeans {
  readonly failingChannels: {
    list(accountId: string): Promise<
      readonly {
        readonly alertChannelId: number;
        readonly name: string;
        readonly failingSince: number;
        readonly exhaustedInARow: number;
      }[]
    >;
  };
  /** What holds for every account: runtimes near their end, gaps of our own. */
  readonly processNotices: () => Promise<readonly Notice[]> | readonly Notice[];
}

export interface NoticeActions {
  /** The longest lasting first. */
  list(caller: Caller): Promise<Notice[]>;
}

export function createNoticeActions({ failingChannels, processNotices }: NoticeMeans): NoticeActions {
  return {
    async list(caller) {
      requirePermission(caller, 'read');
      const channels = await failingChannels.list(caller.accountId);
      const ofChannels = channels.map(({ alertChannelId, name, failingSince, exhaustedInARow }) => ({
        id: `channel-failing:${alertChannelId}`,
        kind: 'channel-failing',
        since: failingSince,
        subject: name,
        message: `The last ${exhaustedInARow} alerts for the alert channel "${name}" did not arrive.`,
        action: `Look at GET /v1/deliveries?alertChannelId=${alertChannelId}, mend the receiver or the channel, then POST /v1/alert-channels/${alertChannelId}/replay.`,
      }));
      return [...ofChannels, ...(await processNotices())].sort((a, b) => a.since - b.since);
    },
  };
}
