// npm run chaos: verifies the guarantees of the service while processes are killed and the database fails.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ChaosOptions, Verdict } from './chaos/verdict.ts';
import { chaosOfDeliveries } from './chaos/deliver.ts';
import { engines } from './chaos/deliver-fixture.ts';
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

  kill      200 scripted checks at 10 s, signed alerts and API writes; kill -9 at random moments, with a restart each time
  postgres  the same with 80 checks on PostgreSQL and two processes of each role; random faults: kill -9, SIGSTOP past
            the lease, connections cut or stalled, commit responses lost, PostgreSQL crashes
  deliver   kill -9 at five points of a delivery (after its claim, before it is sent, before it is recorded, before its
            retry is due, during a replay), on SQLite and PostgreSQL
  update    a rolling update without faults: ten processes of an older commit on PostgreSQL are replaced one at a time, in
            random order, while targets fail and recover; an older process must then refuse to start
  neighbours  a noisy account disturbs in every way it can (costly assertions, stalling bodies, hanging channels, floods of
            triggers, silent readers, all connections, …); another account's checks must run in time, its alerts arrive
            within 2 s, and memory must not grow by more than 300 MB

  --rounds   number of kills (1 to 1000)
  --minutes  duration of the storms of faults and the rests between them, or of the update (more than 0, up to 600)
  --kills    number of kills per point and engine (1 to 1000)
  --seconds  duration of each disturbance (20 to 600)
  --only     only disturbances whose name contains this text
  --engine   sqlite (default) or postgres
  --from     the older commit (default: the last one before the newest migration, which requires the git history)
  --seed     repeats the random choices of an earlier run (default: random; printed at the start)
`;
const shownBreaches = 10;

/** A chaos command: the option that sets its length, and its implementation. */
interface Chaos {
  readonly length: 'rounds' | 'minutes' | 'kills' | 'seconds';
  readonly isRight: (length: number) => boolean;
  readonly run: (options: ChaosOptions) => Promise<Verdict[]>;
}

const commands: Readonly<Record<string, Chaos>> = {
  kill: { length: 'rounds', isRight: isCount, run: chaosOfKills },
  postgres: { length: 'minutes', isRight: areMinutes, run: chaosOfPostgres },
  deliver: { length: 'kills', isRight: isCount, run: chaosOfDeliveries },
  update: { length: 'minutes', isRight: areMinutes, run: chaosOfUpdate },
  neighbours: { length: 'seconds', isRight: (length) => length >= 20 && length <= 600, run: chaosOfNeighbours },
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
  const chaos = commands[name];
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
  const isKept = verdicts.every(({ violations }) => violations.length === 0);
  process.stdout.write(`\n${table(verdicts)}\n`);
  if (isKept) rmSync(dataDir, { recursive: true });
  else {
    const repeat = `npm run chaos -- ${name} --${chaos.length} ${length} --seed ${seed}${values.from === undefined ? '' : ` --from ${values.from}`}${values.only === undefined ? '' : ` --only '${values.only}'`}${engine === 'sqlite' ? '' : ` --engine ${engine}`}`;
    process.stdout.write(`\nThe data is kept in ${dataDir}. To repeat: ${repeat}\n`);
    process.exitCode = 1;
  }
}

function table(verdicts: readonly Verdict[]): string {
  const width = Math.max(...verdicts.map(({ guarantee }) => guarantee.length));
  return verdicts
    .flatMap(({ guarantee, checked, violations }) => [
      `${guarantee.padEnd(width)}  ${String(checked).padStart(7)}  ${violations.length === 0 ? 'held' : `${violations.length} VIOLATIONS`}`,
      ...violations.slice(0, shownBreaches).map((violation) => `    ${violation}`),
    ])
    .join('\n');
}
