// Joins the upkeep beside the path with the store.
import type { Clock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import type { Store } from '#store/store.ts';
import { createRemoveOldRows } from '#upkeep/remove-old-rows.ts';
import type { Config } from '#config/config.ts';

/** What upkeep is joined with. */
interface UpkeepMeans {
  readonly store: Store;
  readonly clock: Clock;
  readonly config: Pick<Config, 'retentionDays'>;
  readonly log: Log;
}

/** Results and what belongs to them go when they are old. */
export function joinRemoveOldRows({ store, clock, config, log }: UpkeepMeans): () => Promise<number> {
  return createRemoveOldRows({
    store: store.retention,
    rollUps: store.rollUps,
    leftovers: store.leftovers,
    triggerCalls: store.triggerCalls,
    clock,
    retentionDays: config.retentionDays,
    onRemoved: (rows) => log.debug('retention.removed', { rows }),
  });
}
