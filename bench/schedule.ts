// Delay of checks after their slots, and the cost of ten thousand of them: memory and start-up time.
import { DatabaseSync } from 'node:sqlite';
import { largest, percentile, type Bench, type BenchOptions, type Row } from './support/report.ts';
import { startPeer } from './support/peer.ts';
import { openView } from './support/results.ts';
import { apiChecks, databasePath, seedAccount, seedChecks } from './support/seed.ts';
import { complaintsIn, pause, type Service, startService } from './support/service.ts';

const checks = 10_000;
/** Results in the database when starts are timed: one hour of 10,000 checks at one minute. */
const historyRows = 600_000;

export const scheduleBench: Bench = {
  about: 'delay of 10,000 checks after their slots, memory, and the time until ready',
  async run(options) {
    const target = startPeer('target');
    const url = await target.ask<string>('listen');
    const minute = await stage(url, 60, options);
    const starts = await timeStarts(minute.dataDir, options);
    const twenty = await stage(url, 20, options);
    const ten = await stage(url, 10, options);
    await target.stop();
    const rows: Row[] = [
      { figure: 'at 60 s: delay p99', value: percentile(minute.delays, 0.99), unit: 'ms', atMost: 250 },
      { figure: 'at 60 s: slots run', value: minute.share * 100, unit: '%', atLeast: 100 },
      { figure: 'at 60 s: memory, most', value: minute.residentMb, unit: 'MB RSS', atMost: 350 },
      { figure: 'ready after a start', value: starts.closedMs, unit: 'ms', atMost: 3000 },
      { figure: 'ready after kill -9', value: starts.killedMs, unit: 'ms' },
      { figure: 'at 20 s: delay p99', value: percentile(twenty.delays, 0.99), unit: 'ms', atMost: 1000 },
      { figure: 'at 20 s: slots run', value: twenty.share * 100, unit: '%', atLeast: 100 },
      { figure: 'at 10 s: delay p99', value: percentile(ten.delays, 0.99), unit: 'ms', aim: '250 ms' },
      { figure: 'at 10 s: slots run', value: ten.share * 100, unit: '%', aim: '100' },
      { figure: 'at 10 s: memory, most', value: ten.residentMb, unit: 'MB RSS', aim: '250 MB' },
    ];
    const figures = (name: string, { delays }: Stage): string =>
      `at ${name}: ${delays.length} starts, delay p50 ${percentile(delays, 0.5).toFixed(0)} ms, longest ${largest(delays).toFixed(0)} ms`;
    return {
      rows,
      notes: [
        figures('60 s', minute),
        figures('20 s', twenty),
        figures('10 s', ten),
        ...[minute, twenty, ten].flatMap(({ complaints }) => complaints),
        `starts timed on ${starts.rows} results (${starts.megabytes} MB), from spawn to the first 200 of /health/ready`,
      ],
      faults: [],
    };
  },
};

interface Stage {
  readonly dataDir: string;
  readonly delays: readonly number[];
  readonly share: number;
  readonly residentMb: number;
  /** Warnings and errors of the service. */
  readonly complaints: readonly string[];
}

async function stage(
  url: string,
  seconds: number,
  { folder, isQuick, profileFolder, say }: BenchOptions,
): Promise<Stage> {
  const dataDir = `${folder}/at-${seconds}`;
  const accountId = await seedAccount(dataDir);
  const often = seconds === 60 ? { frequency: 1, frequencyOffset: null } : { frequencyOffset: seconds };
  const all = apiChecks(accountId, checks, url, () => often);
  await seedChecks(dataDir, all);
  const service = await startService({ dataDir, profileFolder: seconds === 10 ? profileFolder : null });
  say(`${checks} checks at ${seconds} s`);
  await pause(5000); // excludes the warm-up after a start
  const from = Date.now();
  const forMs = isQuick ? 10_000 : Math.max(seconds, 30) * 1000;
  const residentMb = await peakResident(service, forMs);
  const to = Date.now();
  await pause(1500);
  const output = service.output();
  await service.stop();
  using view = openView(dataDir);
  const { passed, failed, degraded, missed, unknown } = view.outcomes(from, to);
  const run = passed + failed + degraded;
  return {
    dataDir,
    delays: view.delays(from, to),
    share: run / (run + missed + unknown),
    residentMb,
    complaints: [
      ...(missed + unknown > 0 ? [`at ${seconds} s: ${missed} slots missed, ${unknown} without verdict`] : []),
      ...complaintsIn(output),
    ].slice(0, 5),
  };
}

async function peakResident(service: Service, forMs: number): Promise<number> {
  const until = performance.now() + forMs;
  let max = 0;
  while (performance.now() < until) {
    max = Math.max(max, service.residentMb());
    await pause(250);
  }
  return max;
}

/** Fills the history with copies of recorded results and times a start after a stop, and one after kill -9. */
async function timeStarts(dataDir: string, { isQuick, say }: BenchOptions) {
  say('filling the history and timing starts');
  const database = new DatabaseSync(databasePath(dataDir));
  const present = Number(database.prepare('SELECT count(*) AS n FROM results').get()?.['n']);
  const columns = database
    .prepare("SELECT name FROM pragma_table_info('results')")
    .all()
    .map(({ name }) => String(name));
  const newId = 'CAST(substr(id, 1, 6) || randomblob(10) AS BLOB)';
  const copies = Math.ceil((isQuick ? historyRows / 6 : historyRows) / present);
  database
    .prepare(
      `INSERT INTO results (${columns.join(', ')})
       SELECT ${columns.map((name) => (name === 'id' ? newId : name)).join(', ')}
       FROM results, (WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ?) SELECT n FROM copy)`,
    )
    .run(copies);
  const rows = Number(database.prepare('SELECT count(*) AS n FROM results').get()?.['n']);
  const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
  database.close();
  const first = await startService({ dataDir });
  await first.kill();
  const second = await startService({ dataDir });
  await second.stop();
  const third = await startService({ dataDir });
  await third.stop();
  return {
    rows,
    megabytes: Math.round((pages * 4096) / 1e6),
    closedMs: Math.max(first.readyAfterMs, third.readyAfterMs),
    killedMs: second.readyAfterMs,
  };
}
