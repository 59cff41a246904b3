// The last known stage of each runtime.
import type { RuntimeStage } from '#domain/checks/runtime.ts';
import type { Database } from '../base/database.ts';

/** The last known stage of each runtime: stages only move forward (decisions: Runtimes). */
export function createRuntimeStages({ reader, transaction, clock }: Database) {
  return {
    async all(): Promise<ReadonlyMap<string, RuntimeStage>> {
      const rows = await reader.selectFrom('runtime_stages').select(['name', 'stage']).execute();
      // Only `remember` writes the column.
      return new Map(rows.map(({ name, stage }) => [name, stage as RuntimeStage]));
    },
    remember: (stages: ReadonlyMap<string, RuntimeStage>): Promise<void> =>
      transaction(async (tx) => {
        for (const [name, stage] of stages) {
          await tx
            .insertInto('runtime_stages')
            .values({ name, stage, seen_at: clock.now() })
            .onConflict((conflict) => conflict.column('name').doUpdateSet({ stage, seen_at: clock.now() }))
            .execute();
        }
      }),
  };
}
