// Builds the maintenance tasks from the store.
import type { Clock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import type { Store } from '#store/store.ts';
import { createRemoveOldRows } from '#upkeep/remove-old-rows.ts';
import type { Config } from '#config/config.ts';

/** Dependencies of the maintenance tasks. */
interface UpkeepDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly config: Pick<Config, 'retentionDays'>;
  readonly log: Log;
}

/** Deletes results and related rows after their retention. */
export function composeRemoveOldRows({ store, clock, config, log }: UpkeepDeps): () => Promise<number> {
  return createRemoveOldRows({
    store: store.retention,
    rollUps: store.rollUps,
    orphans: store.orphans,
    triggerCalls: store.triggerCalls,
    clock,
    retentionDays: config.retentionDays,
    onRemoved: (rows) => log.debug('retention.removed', { rows }),
  });
}
