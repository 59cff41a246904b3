// The law of the cases of the store: each runs on both engines.
import type { SourceFile } from './source-files.ts';

/** Files of tests/store/ whose cases run once, beside `postgres*`, which are about PostgreSQL alone. */
const ofOneEngine: Readonly<Record<string, string>> = {
  'tests/store/carried-storms.test.ts': 'a backup of a SQLite file',
  'tests/store/checkpoints.test.ts': 'the log of a SQLite file',
  'tests/store/file.test.ts': 'a SQLite file as it is opened',
  'tests/store/move-across.test.ts': 'one engine beside the other',
  'tests/store/write-queue.test.ts': 'the one writer of a SQLite file',
};

/** How cases of the store could run on one engine: written with a `test` that knows none. */
export function notOnEachEngine({ path, code, imports }: SourceFile): readonly string[] {
  const isOnEach = imports.some(({ from }) => from === 'tests/support/store/each-engine.ts');
  if (path in ofOneEngine || path.startsWith('tests/store/postgres')) {
    return isOnEach ? [`${path}: is named as one about one engine, and runs on both`] : [];
  }
  const grouped = "import { describe } from 'node:test';";
  const runners = code.split('\n').filter((line) => line.includes("'node:test'") && line !== grouped);
  return [
    ...(isOnEach ? [] : [`${path}: its cases come from elsewhere than tests/support/store/each-engine.ts`]),
    // To group cases is all that is wanted of Node.js.
    ...runners.map((line) => `${path}: ${line.trim()}`),
  ];
}
