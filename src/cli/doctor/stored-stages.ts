// Reads the stored stages of runtimes, which the next start uses too.
import type { DatabaseUrl } from '#config/variables.ts';
import { runtimeStages, type RuntimeStage } from '#domain/checks/runtime.ts';
import { findRows } from '#store/base/rows.ts';
import { openDatabase } from '../open-database.ts';

/** Stages by runtime name. Empty if the database cannot be read; another finding reports that. */
export async function storedStages(database: DatabaseUrl): Promise<ReadonlyMap<string, RuntimeStage>> {
  try {
    await using opened = await openDatabase(database, 'read');
    const rows = await findRows(opened.reader, 'runtime_stages', {});
    return new Map(
      rows.flatMap(({ name, stage }) => runtimeStages.filter((each) => each === stage).map((each) => [name, each])),
    );
  } catch {
    return new Map();
  }
}
