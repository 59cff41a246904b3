// Reads the stored stages of runtimes, which the next start uses too.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { runtimeStages, type RuntimeStage } from '#domain/checks/runtime.ts';
import { openConnections } from '#store/engines/postgres/connections.ts';
import type { DoctorDatabase } from './doctor.ts';

interface Row {
  readonly name: string;
  readonly stage: string;
}

const statement = 'SELECT name, stage FROM runtime_stages';

/** Stages by runtime name. Empty if the database cannot be read; another finding reports that. */
export async function storedStages(database: DoctorDatabase): Promise<ReadonlyMap<string, RuntimeStage>> {
  try {
    const rows = database.kind === 'sqlite' ? rowsOfFile(database.path) : await rowsOfServer(database.address);
    return new Map(
      rows.flatMap(({ name, stage }) => runtimeStages.filter((each) => each === stage).map((each) => [name, each])),
    );
  } catch {
    return new Map();
  }
}

function rowsOfFile(path: string): readonly Row[] {
  if (!existsSync(path)) return [];
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    return database.prepare(statement).all() as unknown as Row[];
  } finally {
    database.close();
  }
}

async function rowsOfServer(address: Parameters<typeof openConnections>[0]): Promise<readonly Row[]> {
  const connections = await openConnections(address);
  try {
    return await connections.statement<Row>(statement);
  } finally {
    await connections.close();
  }
}
