// Builds the validation of stored templates from channels, log and notices.
import type { BrokenChannel, BrokenChannels } from '#actions/operating/notices.ts';
import { channelRules } from '#channels/rules.ts';
import { type AlertChannel, channelName } from '#domain/alerts/alert-channel.ts';
import { gatewaysOf } from '#domain/deliveries/gateways.ts';
import type { Clock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import type { Store } from '#store/store.ts';
import { type ConfigFault, createKeepTemplates, type FoundBroken, type KeepTemplates } from '#upkeep/keep-templates.ts';
import type { Config } from '#config/config.ts';

interface Deps {
  readonly config: Pick<Config, 'database' | 'gateways' | 'roles'>;
  readonly store: Pick<Store, 'channelConfigs'>;
  readonly clock: Clock;
  readonly log: Log;
}

export function keepTemplates({ config, store, clock, log }: Deps): KeepTemplates {
  return createKeepTemplates({
    store: store.channelConfigs,
    judge: faultsWith(config),
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

/** Problems of a stored channel: a service that is not set up, and templates that cannot be rendered. */
function faultsWith({ gateways, roles }: Pick<Config, 'gateways' | 'roles'>) {
  // Other processes need not know the services.
  const knowsServices = roles.includes('api') || roles.includes('deliverer');
  return ({ accountId, type, config }: Pick<AlertChannel, 'accountId' | 'type' | 'config'>): ConfigFault[] => {
    const missing = knowsServices ? channelRules.missing(type, gatewaysOf(gateways, accountId)) : null;
    const faults = channelRules.storedFaults(type, config);
    return missing === null ? faults : [{ path: 'type', message: missing }, ...faults];
  };
}

/** Invalid channels, for notices. */
const maxLogged = 20;

/** Validates channels found invalid again: any process may have fixed them. */
export function findBrokenChannels(
  { alertChannels }: Pick<Store, 'alertChannels'>,
  config: Pick<Config, 'gateways' | 'roles'>,
  found: (accountId: string) => readonly FoundBroken[],
): BrokenChannels {
  const faultsOf = faultsWith(config);
  return async (accountId) => {
    const broken: BrokenChannel[] = [];
    for (const { id, foundAt } of found(accountId).slice(0, maxLogged)) {
      const channel = (await alertChannels.find(accountId, id))?.channel;
      const [fault] = channel === undefined ? [] : faultsOf(channel);
      if (channel === undefined || fault === undefined) continue;
      broken.push({ alertChannelId: id, name: channelName(channel), since: foundAt, fault });
    }
    return broken;
  };
}
