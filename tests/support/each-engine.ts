// The conformance suite: every case that is written with this `test` is run on SQLite and on a real PostgreSQL.
import assert from 'node:assert/strict';
import { after, test as nodeTest } from 'node:test';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { openTempPostgres, openTempStore, type TempStore } from './temp-store.ts';

/** Opens a new store of the engine that the case is run on; its clock stands at `at`, epoch ms. */
export type NewStore = (at?: number) => Promise<TempStore>;

let starting: Promise<PostgresServer> | null = null;

const all: Readonly<Record<string, NewStore>> = {
  SQLite: (at) => Promise.resolve(openTempStore(at)),
  PostgreSQL: async (at) => {
    // One server for a file of tests, each store in a database of its own.
    starting ??= startPostgres();
    return openTempPostgres(await starting, at);
  },
};

/** Both, unless the run says that it is about one (`npm run check`). */
const wanted = process.env['TOCSIN_TEST_ENGINES']?.split(',') ?? Object.keys(all);
const engines = Object.fromEntries(Object.entries(all).filter(([engine]) => wanted.includes(engine)));
assert.equal(Object.keys(engines).length, wanted.length, `TOCSIN_TEST_ENGINES may name ${Object.keys(all).join(', ')}`);

const ended: Record<string, number> = {};

/** A case, once for each engine. */
export function test(name: string, work: (newStore: NewStore) => Promise<void>): void {
  for (const [engine, open] of Object.entries(engines)) {
    let isOpened = false;
    const newStore: NewStore = (at) => {
      isOpened = true;
      return open(at);
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
    Object.keys(engines).sort(),
    'some engine ran none of the cases of this file',
  );
  const [first, ...others] = Object.values(ended);
  for (const other of others)
    assert.equal(other, first, `not every case ran well on every engine: ${JSON.stringify(ended)}`);
});
