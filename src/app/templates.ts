// Joins the keeping of templates with the channels, the log and the notices.
import type { BrokenChannel, BrokenChannels } from '#actions/operating/notices.ts';
import { channelRules } from '#channels/rules.ts';
import type { Clock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import type { Store } from '#store/store.ts';
import { createKeepTemplates, type FoundBroken, type KeepTemplates } from '#upkeep/keep-templates.ts';
import type { Config } from '#config/config.ts';

/** What it is joined with. */
interface Means {
  readonly config: Pick<Config, 'database'>;
  readonly store: Pick<Store, 'channelConfigs'>;
  readonly clock: Clock;
  readonly log: Log;
}

export function keepTemplates({ config, store, clock, log }: Means): KeepTemplates {
  return createKeepTemplates({
    store: store.channelConfigs,
    judge: (type, channelConfig) => channelRules.storedFaults(type, channelConfig),
    onBroken: ({ accountId, id, name, fault }) => {
      const { path, line, column, message } = fault;
      log.warn('channel.broken', { account: accountId, id, name, path, line, column, error: message });
    },
    // One process owns the file: what is written there was compiled when it was saved.
    isShared: config.database.kind === 'postgres',
    now: () => clock.now(),
    elapsedMs: () => performance.now(),
  });
}

/** Channels that a notice tells of. */
const toldMost = 20;

/** What was found broken, looked at again: it may have been mended since, by any process. */
export function brokenChannelsOf(
  { alertChannels }: Pick<Store, 'alertChannels'>,
  found: (accountId: string) => readonly FoundBroken[],
): BrokenChannels {
  return async (accountId) => {
    const broken: BrokenChannel[] = [];
    for (const { id, foundAt } of found(accountId).slice(0, toldMost)) {
      const channel = (await alertChannels.find(accountId, id))?.channel;
      const [fault] = channel === undefined ? [] : channelRules.storedFaults(channel.type, channel.config);
      if (channel === undefined || fault === undefined) continue;
      const name = typeof channel.config['name'] === 'string' ? channel.config['name'] : '';
      broken.push({ alertChannelId: id, name: name || `alert channel ${id}`, since: foundAt, fault });
    }
    return broken;
  };
}
