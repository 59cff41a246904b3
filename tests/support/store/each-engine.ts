// The conformance suite: every case that is written with this `test` is run on SQLite and on a real PostgreSQL, and every
// statement that the store issues meanwhile is judged.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { after, test as nodeTest } from 'node:test';
import { getCallSites } from 'node:util';
import { sharedPostgres } from '../postgres/shared-postgres.ts';
import {
  assertAccountsNamed,
  assertIssuedOnBoth,
  noteDoor,
  onSqliteAlone,
  recordFor,
  recordStatements,
} from '../laws/statements.ts';
import { openTempPostgres, openTempStore, type TempStore } from './temp-store.ts';

/** Opens a new store of the engine that the case is run on; its clock stands at `at`, epoch ms. */
export type NewStore = (at?: number) => Promise<TempStore>;

recordStatements();

type Engine = 'SQLite' | 'PostgreSQL';

const all: Readonly<Record<Engine, NewStore>> = {
  SQLite: (at) => Promise.resolve(openTempStore(at)),
  PostgreSQL: async (at) => openTempPostgres(await sharedPostgres(), at),
};

/** Both, unless the run says that it is about one (`npm run check`). */
const wanted = process.env['TOCSIN_TEST_ENGINES']?.split(',') ?? Object.keys(all);
const engines = Object.entries(all).filter(([engine]) => wanted.includes(engine)) as [Engine, NewStore][];
assert.equal(engines.length, wanted.length, `TOCSIN_TEST_ENGINES may name ${Object.keys(all).join(', ')}`);

/** What came of the cases of a file. */
interface FileOfCases {
  /** Of both engines. */
  cases: number;
  /** Cases that ended well. */
  readonly ended: Map<Engine, number>;
}

/** By the name of the file: several may share a process. */
const files = new Map<string, FileOfCases>();

/** A case, once for each engine. */
export function test(name: string, work: (newStore: NewStore, engine: Engine) => Promise<void>): void {
  const file = callingFile();
  const outcome = outcomeOf(file);
  outcome.cases++;
  for (const [engine] of engines) {
    runCase({ name, work, engine, file }, () => {
      outcome.ended.set(engine, (outcome.ended.get(engine) ?? 0) + 1);
    });
  }
}

/**
 * A case about a rule that the code decides once for both engines, which is run on SQLite alone. Cases of its file that are
 * run on both must issue what it issues, in other words: its file fails otherwise. None about what each engine does in its
 * own way: locks, claims, transactions, and statements that are written twice.
 */
export function onSqlite(name: string, work: (newStore: NewStore, engine: Engine) => Promise<void>): void {
  const file = callingFile();
  outcomeOf(file);
  if (!engines.some(([engine]) => engine === 'SQLite')) return;
  runCase({ name, work, engine: 'SQLite', file: file + onSqliteAlone }, () => undefined);
}

function outcomeOf(file: string): FileOfCases {
  const outcome = files.get(file) ?? { cases: 0, ended: new Map<Engine, number>() };
  files.set(file, outcome);
  return outcome;
}

interface Case {
  readonly name: string;
  readonly work: (newStore: NewStore, engine: Engine) => Promise<void>;
  readonly engine: Engine;
  /** For which its statements are recorded. */
  readonly file: string;
}

function runCase({ name, work, engine, file }: Case, onEnd: () => void): void {
  let isOpened = false;
  const newStore: NewStore = async (at) => {
    isOpened = true;
    const opened = await all[engine](at);
    noteDoor(engine, opened.raw);
    return opened;
  };
  nodeTest(`${name} [${engine}]`, async () => {
    recordFor(file);
    try {
      await work(newStore, engine);
    } finally {
      // Who else is in this process is not judged by this suite.
      recordFor('');
    }
    assert.ok(isOpened, 'the case opened no store: it says nothing of the engine');
    onEnd();
  });
}

/** The same under its other name, inside `describe`. */
export const it = test;

/** The file of tests that is being loaded, without its ending. @throws {Error} called from elsewhere */
function callingFile(): string {
  const names = getCallSites().map(({ scriptName }) => basename(scriptName));
  const name = names.find((each) => each.endsWith('.test.ts'));
  if (name === undefined)
    throw new Error('a case of the suite stands in no file of tests, or is made while others run');
  return basename(name, '.test.ts');
}

after(() => {
  for (const [file, outcome] of files) judgeFile(file, outcome);
});

function judgeFile(file: string, { cases, ended }: FileOfCases): void {
  assert.deepEqual(
    [...ended.keys()].sort(),
    engines.map(([engine]) => engine).sort(),
    `some engine ran none of the cases of ${file}`,
  );
  const [first, ...others] = ended.values();
  for (const other of others)
    assert.equal(other, first, `not every case of ${file} ran well on every engine: ${JSON.stringify([...ended])}`);
  const isWhole = first === cases;
  for (const [engine] of engines) assertAccountsNamed(engine, file, isWhole);
  if (isWhole && ended.has('SQLite')) assertIssuedOnBoth(file);
}
