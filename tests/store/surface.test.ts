// The suite is over the whole surface of the store: each of its functions has a file whose cases call it on both engines.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { Store } from '#store/store.ts';
import { test } from '../support/store/each-engine.ts';
import { calledIn, uncalled } from '../support/laws/store-surface.ts';

const notOfTheSuite = ['wakes', 'wasCrashed', 'close'];

/** `noun.function` of every function of a store as it was opened. */
function functionsOf(store: Store): string[] {
  return Object.entries(store).flatMap(([noun, members]: [string, object]) =>
    notOfTheSuite.includes(noun)
      ? []
      : Object.entries(members).flatMap(([name, member]: [string, unknown]) =>
          typeof member === 'function' ? [`${noun}.${name}`] : [],
        ),
  );
}

test('every function of the store has a file of tests that calls it on each engine', async (newStore) => {
  await using temp = await newStore();
  const listed = Object.entries(calledIn).flatMap(([noun, names]) =>
    Object.keys(names).map((name) => `${noun}.${name}`),
  );
  assert.deepEqual(functionsOf(temp.store).sort(), listed.sort());
  const files = new Set(Object.values(calledIn).flatMap((names) => Object.values<string>(names)));
  for (const file of files) {
    const url = new URL(`${file}.test.ts`, import.meta.url);
    assert.ok(existsSync(url), `there is no tests/store/${file}.test.ts`);
    assert.match(readFileSync(url, 'utf8'), /^import \{[^}]*\} from '\.\.\/support\/store\/each-engine\.ts';$/m, file);
  }
});

test('a function that the cases of its file do not call is noticed', async (newStore) => {
  await using temp = await newStore();
  const wanted = ['runtimeStages.all', 'runtimeStages.remember'];
  const engine = temp.isShared ? 'PostgreSQL' : 'SQLite';
  assert.deepEqual(
    uncalled(engine, 'figures', 'surface').filter((name) => wanted.includes(name)),
    wanted,
  );
  assert.equal((await temp.store.runtimeStages.all()).size, 0);
  assert.deepEqual(
    uncalled(engine, 'figures', 'surface').filter((name) => wanted.includes(name)),
    wanted.slice(1),
  );
});
