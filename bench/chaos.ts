// npm run chaos: what the service promises must hold however often it is killed, and whatever becomes of its database.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Verdict } from './chaos/verdict.ts';
import { chaosOfDeliveries } from './chaos/deliver.ts';
import { type Engine, engines } from './chaos/deliver-fixture.ts';
import { chaosOfKills } from './chaos/kill.ts';
import { chaosOfNeighbours } from './chaos/neighbours.ts';
import { NoOlderCodeError } from './chaos/older.ts';
import { chaosOfPostgres } from './chaos/postgres.ts';
import { chaosOfUpdate } from './chaos/update.ts';

const usage = `npm run chaos -- kill [--rounds 10] [--seed N]
npm run chaos -- postgres [--minutes 1] [--seed N]
npm run chaos -- deliver [--kills 200] [--seed N]
npm run chaos -- update [--from COMMIT] [--minutes 1] [--seed N]
npm run chaos -- neighbours [--seconds 30] [--only NAME] [--engine postgres] [--seed N]

  kill      200 scripted checks at 10 s, signed alerts, API writes; kill -9 at random moments, restarted each time
  postgres  the same with 80 checks over PostgreSQL, two processes of each role; at random: kill -9, SIGSTOP past the
            lease, connections cut or held up, answers to commits lost, PostgreSQL ended as if the power went
  deliver   kill -9 at five points of a delivery's way (after its claim, before it is sent, after that and before it is
            recorded, after that and before it is due again, during a replay), on SQLite and over PostgreSQL at once
  update    no faults but a rolling update: ten processes of an older commit over PostgreSQL, replaced one at a time by the
            present code, in any order, while targets fail and recover; then that an older one refuses to start
  neighbours  one account disturbs in every way it can (costly assertions, stalling bodies, hanging channels, floods of
            triggers, idle connections, …); another account's checks must run in time and its alerts arrive within 2 s

  --rounds   how many kills (1 to 1000)
  --minutes  how long it goes on, in storms of faults with rests between, or replacing (more than 0, up to 600)
  --kills    how many at each point and on each engine (1 to 1000)
  --seconds  how long each disturbance lasts (20 to 600)
  --only     only disturbances whose name contains this
  --engine   sqlite (default) or postgres
  --from     the older commit; without it the last one before the newest migration, which needs the history of git
  --seed     repeats the moments of an earlier run; random otherwise, and printed
`;
const shownBreaches = 10;

/** One way of doing harm: how its length is told, and what does it. */
interface Chaos {
  readonly length: 'rounds' | 'minutes' | 'kills' | 'seconds';
  readonly isRight: (length: number) => boolean;
  readonly run: (options: ChaosOptions) => Promise<Verdict[]>;
}

interface ChaosOptions {
  readonly dataDir: string;
  readonly length: number;
  readonly seed: number;
  /** A commit to update from; null = it is looked for. */
  readonly from: string | null;
  /** Part of the name of the disturbances to try; null = all. */
  readonly only: string | null;
  readonly engine: Engine;
  readonly say: (what: string) => void;
}

const ways: Readonly<Record<string, Chaos>> = {
  kill: {
    length: 'rounds',
    isRight: isCount,
    run: ({ length, ...options }) => chaosOfKills({ ...options, rounds: length }),
  },
  postgres: {
    length: 'minutes',
    isRight: areMinutes,
    run: ({ length, ...options }) => chaosOfPostgres({ ...options, minutes: length }),
  },
  deliver: {
    length: 'kills',
    isRight: isCount,
    run: ({ length, ...options }) => chaosOfDeliveries({ ...options, kills: length }),
  },
  update: {
    length: 'minutes',
    isRight: areMinutes,
    run: ({ length, ...options }) => chaosOfUpdate({ ...options, minutes: length }),
  },
  neighbours: {
    length: 'seconds',
    isRight: (length) => length >= 20 && length <= 600,
    run: ({ length, ...options }) => chaosOfNeighbours({ ...options, seconds: length }),
  },
};

await main();

function isCount(length: number): boolean {
  return Number.isInteger(length) && length >= 1 && length <= 1000;
}

function areMinutes(length: number): boolean {
  return length > 0 && length <= 600;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '10' },
      minutes: { type: 'string', default: '1' },
      kills: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '30' },
      from: { type: 'string' },
      only: { type: 'string' },
      engine: { type: 'string', default: 'sqlite' },
      seed: { type: 'string' },
    },
  });
  const name = positionals.join(' ');
  const chaos = ways[name];
  const length = Number(chaos === undefined ? Number.NaN : values[chaos.length]);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);
  const engine = engines.find((each) => each === values.engine);
  if (chaos?.isRight(length) !== true || !Number.isInteger(seed) || engine === undefined) {
    process.stdout.write(usage);
    process.exit(positionals.length === 0 ? 0 : 2);
  }
  const data = fileURLToPath(new URL('../data', import.meta.url));
  mkdirSync(data, { recursive: true });
  const dataDir = mkdtempSync(join(data, `chaos-${name}-`));
  const startedAt = performance.now();
  const seconds = (): string => ((performance.now() - startedAt) / 1000).toFixed(1);
  const say = (what: string): void => void process.stdout.write(`${seconds().padStart(6)} s  ${what}\n`);
  say(`${length} ${chaos.length}, seed ${seed}`);
  const verdicts = await chaos
    .run({ dataDir, length, seed, say, from: values.from ?? null, only: values.only ?? null, engine })
    .catch((error: unknown) => {
      if (!(error instanceof NoOlderCodeError)) throw error;
      rmSync(dataDir, { recursive: true });
      process.stderr.write(`chaos: ${error.message}\n`);
      process.exit(1);
    });
  const isKept = verdicts.every(({ breaches }) => breaches.length === 0);
  process.stdout.write(`\n${table(verdicts)}\n`);
  if (isKept) rmSync(dataDir, { recursive: true });
  else {
    const repeat = `npm run chaos -- ${name} --${chaos.length} ${length} --seed ${seed}${values.from === undefined ? '' : ` --from ${values.from}`}${values.only === undefined ? '' : ` --only '${values.only}'`}${engine === 'sqlite' ? '' : ` --engine ${engine}`}`;
    process.stdout.write(`\nWhat is left of it is kept in ${dataDir}; repeat with ${repeat}\n`);
    process.exitCode = 1;
  }
}

function table(verdicts: readonly Verdict[]): string {
  const width = Math.max(...verdicts.map(({ promise }) => promise.length));
  return verdicts
    .flatMap(({ promise, tried, breaches }) => [
      `${promise.padEnd(width)}  ${String(tried).padStart(7)}  ${breaches.length === 0 ? 'held' : `BROKEN ${breaches.length} times`}`,
      ...breaches.slice(0, shownBreaches).map((breach) => `    ${breach}`),
    ])
    .join('\n');
}
