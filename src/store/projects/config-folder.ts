// The folder that the service applies: one process at a time, and how it went.
import type { ConfigFolderState } from '#domain/projects/config-folder.ts';
import { idText } from '../base/codec.ts';
import type { Database } from '../base/database.ts';
import { readFact, replaceFact } from '../base/installation-fact.ts';
import { findRows } from '../base/rows.ts';

const key = 'config-folder';

export function createConfigFolder({ reader, transaction }: Database) {
  return {
    /** null = no folder was ever applied. */
    state: (): Promise<ConfigFolderState | null> => readFact<ConfigFolderState>(reader, key),
    /** Replaces the state; false = another process was first. */
    move: (before: ConfigFolderState | null, after: ConfigFolderState): Promise<boolean> =>
      transaction((tx) => replaceFact(tx, key, before, after)),
    /** The only account of the installation. */
    async onlyAccount(): Promise<{ readonly id: string | null; readonly isAmbiguous: boolean }> {
      const rows = await findRows(reader, 'accounts', {}, ['id']);
      const [one] = rows;
      return { id: rows.length === 1 && one !== undefined ? idText(one.id) : null, isAmbiguous: rows.length > 1 };
    },
  };
}
