// Builds the validation of stored templates from channels, log and notices.
import type { BrokenChannel, BrokenChannels } from '#actions/operating/notices.ts';
import { channelRules } from '#channels/rules.ts';
import type { Clock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import type { Store } from '#store/store.ts';
import { createKeepTemplates, type FoundBroken, type KeepTemplates } from '#upkeep/keep-templates.ts';
import type { Config } from '#config/config.ts';

/** Its dependencies. */
interface Deps {
  readonly config: Pick<Config, 'database'>;
  readonly store: Pick<Store, 'channelConfigs'>;
  readonly clock: Clock;
  readonly log: Log;
}

export function keepTemplates({ config, store, clock, log }: Deps): KeepTemplates {
  return createKeepTemplates({
    store: store.channelConfigs,
    judge: (type, channelConfig) => channelRules.storedFaults(type, channelConfig),
    onBroken: ({ accountId, id, name, fault }) => {
      const { path, line, column, message } = fault;
      log.warn('channel.broken', { account: accountId, id, name, path, line, column, error: message });
    },
    // With SQLite there is only one process, which compiled every template when it was saved.
    isShared: config.database.kind === 'postgres',
    now: () => clock.now(),
    elapsedMs: () => performance.now(),
  });
}

/** Invalid channels, for notices. */
const maxLogged = 20;

/** Validates channels found invalid again: any process may have fixed them. */
export function brokenChannelsOf(
  { alertChannels }: Pick<Store, 'alertChannels'>,
  found: (accountId: string) => readonly FoundBroken[],
): BrokenChannels {
  return async (accountId) => {
    const broken: BrokenChannel[] = [];
    for (const { id, foundAt } of found(accountId).slice(0, maxLogged)) {
      const channel = (await alertChannels.find(accountId, id))?.channel;
      const [fault] = channel === undefined ? [] : channelRules.storedFaults(channel.type, channel.config);
      if (channel === undefined || fault === undefined) continue;
      const name = typeof channel.config['name'] === 'string' ? channel.config['name'] : '';
      broken.push({ alertChannelId: id, name: name || `alert channel ${id}`, since: foundAt, fault });
    }
    return broken;
  };
}
