// Days of services of status pages, counted once they are over.
import type { SlotTimes } from '#domain/results/roll-up.ts';
import type { PublicDay } from '#domain/status-pages/page-snapshot.ts';
import { idBytes, idText } from '../base/codec.ts';
import { type Database, ownedBy } from '../base/database.ts';
import { replaceRows, selectRows } from '../base/rows.ts';
import { breathe } from '../base/slices.ts';

/** Services per statement, because it blocks the event loop. */
const servicesAtOnce = 20;

export function createServiceDays({ reader, transaction }: Database) {
  return {
    /** Days that start at or after `from` (epoch ms), by service and start. */
    async read(accountId: string, serviceIds: readonly string[], from: number) {
      const days = new Map<string, Map<number, PublicDay>>(serviceIds.map((id) => [id, new Map()]));
      for (let start = 0; start < serviceIds.length; start += servicesAtOnce) {
        const ids = serviceIds.slice(start, start + servicesAtOnce).map(idBytes);
        const rows = await selectRows(reader, 'status_service_days', { ...ownedBy(accountId), service_id: ids })
          .selectAll()
          .where('day_at', '>=', from)
          .execute();
        for (const { service_id: id, day_at: at, known_ms: knownMs, down_ms: downMs, unknown_ms: unknownMs } of rows) {
          days.get(idText(id))?.set(at, { at, knownMs, downMs, unknownMs });
        }
        await breathe();
      }
      return days;
    },
    /**
     * Replaces a day of services, and removes those that start before `oldest`; both epoch ms. Services that were removed
     * meanwhile are left out.
     */
    write: (accountId: string, at: number, times: ReadonlyMap<string, SlotTimes>, oldest: number): Promise<void> =>
      transaction(async (tx) => {
        const own = ownedBy(accountId);
        const present = await selectRows(tx, 'status_services', own).select('id').execute();
        const rows = present.flatMap(({ id }) => {
          const day = times.get(idText(id));
          if (day === undefined) return [];
          const { knownMs: known_ms, downMs: down_ms, unknownMs: unknown_ms } = day;
          return [{ ...own, service_id: id, day_at: at, known_ms, down_ms, unknown_ms }];
        });
        await replaceRows(tx, 'status_service_days', ['account_id', 'service_id', 'day_at'], rows);
        await tx
          .deleteFrom('status_service_days')
          .where('account_id', '=', own.account_id)
          .where('day_at', '<', oldest)
          .execute();
      }),
  };
}
