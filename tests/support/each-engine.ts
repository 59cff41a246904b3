// The conformance suite: every case that is written with this `test` is run on SQLite and on a real PostgreSQL, every
// statement that the store issues meanwhile is judged, and what is called of the store is noted.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { after, test as nodeTest } from 'node:test';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { assertAccountsNamed, noteDoor, recordStatements } from './statements.ts';
import { noteCalls, uncalled } from './store-surface.ts';
import { openTempPostgres, openTempStore, type TempStore } from './temp-store.ts';

/** Opens a new store of the engine that the case is run on; its clock stands at `at`, epoch ms. */
export type NewStore = (at?: number) => Promise<TempStore>;

let starting: Promise<PostgresServer> | null = null;

recordStatements();

type Engine = 'SQLite' | 'PostgreSQL';

const all: Readonly<Record<Engine, NewStore>> = {
  SQLite: (at) => Promise.resolve(openTempStore(at)),
  PostgreSQL: async (at) => {
    // One server for a file of tests, each store in a database of its own.
    starting ??= startPostgres();
    return openTempPostgres(await starting, at);
  },
};

/** Both, unless the run says that it is about one (`npm run check`). */
const wanted = process.env['TOCSIN_TEST_ENGINES']?.split(',') ?? Object.keys(all);
const engines = Object.entries(all).filter(([engine]) => wanted.includes(engine)) as [Engine, NewStore][];
assert.equal(engines.length, wanted.length, `TOCSIN_TEST_ENGINES may name ${Object.keys(all).join(', ')}`);

const ended: Record<string, number> = {};
let cases = 0;

/** A case, once for each engine. */
export function test(name: string, work: (newStore: NewStore) => Promise<void>): void {
  cases++;
  for (const [engine, open] of engines) {
    let isOpened = false;
    const newStore: NewStore = async (at) => {
      isOpened = true;
      const opened = await open(at);
      noteDoor(engine, opened.raw);
      return { ...opened, store: noteCalls(engine, opened.store) };
    };
    nodeTest(`${name} [${engine}]`, async () => {
      await work(newStore);
      assert.ok(isOpened, 'the case opened no store: it says nothing of the engine');
      ended[engine] = (ended[engine] ?? 0) + 1;
    });
  }
}

/** The same under its other name, inside `describe`. */
export const it = test;

after(async () => {
  if (starting !== null) await (await starting).stop();
  assert.deepEqual(
    Object.keys(ended).sort(),
    engines.map(([engine]) => engine).sort(),
    'some engine ran none of the cases of this file',
  );
  const [first, ...others] = Object.values(ended);
  for (const other of others)
    assert.equal(other, first, `not every case ran well on every engine: ${JSON.stringify(ended)}`);
  const file = basename(process.argv[1] ?? '', '.test.ts');
  const isWhole = first === cases;
  for (const [engine] of engines) {
    assertAccountsNamed(engine, file, isWhole);
    if (isWhole)
      assert.deepEqual(uncalled(engine, file), [], `store-surface.ts says that ${file} calls these on ${engine}`);
  }
});
