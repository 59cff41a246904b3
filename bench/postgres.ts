// The complete path on PostgreSQL on the same machine: checks and deliveries per second, and the CPU of the service and
// the database.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeCodes } from '#store/base/codes.ts';
import type { Received } from './peers/receiver.ts';
import { type BenchDatabase, openBenchDatabase } from './support/database.ts';
import { pendingDeliveries, receivedFaults } from './support/pending.ts';
import { startPeer } from './support/peer.ts';
import { type Bench, type BenchOptions, type Findings, joinFindings } from './support/report.ts';
import { apiChecks } from './support/seed.ts';
import { complaintsIn, pause, type Service, startService } from './support/service.ts';

/** 1.2 times the required rate. */
const checks = 12_000;
const everySeconds = 10;
const warmUpMs = 22_000;
const channels = 200;

export const postgresBench: Bench = {
  about: 'checks and deliveries per second on PostgreSQL on the same machine, and the CPU of both',
  run: async (options) => joinFindings([await recordChecks(options), await drain(options)]),
};

/** Checks scheduled, run and recorded by the service in steady state. */
async function recordChecks({ folder, isQuick, profileFolder, say }: BenchOptions): Promise<Findings> {
  await using database = await openBenchDatabase();
  const target = startPeer('target');
  const url = await target.ask<string>('listen');
  say(`${checks} checks at ${everySeconds} s`);
  const accountId = await database.seedAccount();
  const often = { frequency: 0, frequencyOffset: everySeconds };
  await database.addChecks(apiChecks(accountId, checks, url, () => often));
  const service = await startOn(database, join(folder, 'checks'), profileFolder);
  await pause(isQuick ? warmUpMs / 2 : warmUpMs);
  const from = figuresOf(service, database);
  await pause(isQuick ? 10_000 : 30_000);
  const to = figuresOf(service, database);
  const output = service.output();
  await service.stop();
  await target.stop();
  const { passed, others } = await outcomes(database, from.at, to.at);
  const seconds = (to.at - from.at) / 1000;
  const per1000 = (cpu: number): number => (cpu / passed) * 1000;
  return {
    rows: [
      { figure: 'recorded checks', value: passed / seconds, unit: '/s', atLeast: 1000 },
      { figure: 'share of due checks', value: (passed / (passed + others)) * 100, unit: '%', atLeast: 99.9 },
      { figure: 'CPU of the service', value: per1000(to.service - from.service), unit: 's per 1,000 checks' },
      { figure: 'CPU of PostgreSQL', value: per1000(to.database - from.database), unit: 's per 1,000 checks' },
    ],
    notes: [
      `${checks} checks every ${everySeconds} s with three assertions, one process with all roles; PostgreSQL and targets on the same cores`,
      ...complaintsIn(output),
    ],
    faults: [],
  };
}

/** Time in which the running service delivers a queue of pending deliveries of 200 channels. */
async function drain({ folder, isQuick, profileFolder, say }: BenchOptions): Promise<Findings> {
  await using database = await openBenchDatabase();
  const receiver = startPeer('receiver');
  const address = await receiver.ask<string>('listen');
  const wanted = isQuick ? 10_000 : 50_000;
  say(`inserting ${wanted} pending deliveries of ${channels} channels`);
  const accountId = await database.seedAccount();
  const store = await database.openStore();
  await pendingDeliveries(store, { accountId, receiver: address, channels, count: wanted });
  await store.close();
  await database.query('ANALYZE');
  say('draining with the service');
  const service = await startOn(database, join(folder, 'deliveries'), profileFolder);
  const from = figuresOf(service, database);
  const before = await receiver.ask<number>('count');
  const until = performance.now() + 120_000;
  while ((await waiting(database)) && performance.now() < until) await pause(50);
  const to = figuresOf(service, database);
  const got = await receiver.ask<Received>('received');
  const output = service.output();
  await service.stop();
  await receiver.stop();
  const [log] = await database.query(
    `SELECT (SELECT count(*) FROM deliveries WHERE status = 1) AS delivered, count(*) AS attempts FROM attempts
     WHERE status = 200 AND number = 1`,
  );
  const per1000 = (cpu: number): number => (cpu / (wanted - before)) * 1000;
  return {
    rows: [
      { figure: 'deliveries, end to end', value: wanted / ((to.at - got.firstAt) / 1000), unit: '/s', atLeast: 2500 },
      { figure: 'CPU of the service', value: per1000(to.service - from.service), unit: 's per 1,000 deliveries' },
      { figure: 'CPU of PostgreSQL', value: per1000(to.database - from.database), unit: 's per 1,000 deliveries' },
    ],
    notes: [
      `${wanted} deliveries, timed from the first request to the last durable log entry; ${got.verified} signatures verified`,
      ...complaintsIn(output),
    ],
    faults: [
      ...receivedFaults(got, wanted),
      ...(Number(log?.['attempts']) === wanted ? [] : [`${String(log?.['attempts'])} attempts are logged`]),
    ],
  };
}

function startOn({ url }: BenchDatabase, dataDir: string, profileFolder: string | null): Promise<Service> {
  mkdirSync(dataDir, { recursive: true });
  return startService({ dataDir, profileFolder, environment: { DATABASE_URL: url } });
}

function figuresOf(service: Service, database: BenchDatabase) {
  return { at: Date.now(), service: service.cpuSeconds(), database: database.cpuSeconds() };
}

async function waiting(database: BenchDatabase): Promise<boolean> {
  return (await database.query('SELECT 1 FROM deliveries WHERE status = 0 LIMIT 1')).length > 0;
}

/** Runs that were started or given up in a span (epoch ms). */
async function outcomes(database: BenchDatabase, from: number, to: number) {
  const rows = await database.query(
    `SELECT outcome, sum(slots)::int AS n FROM results
     WHERE run_id IS NULL AND source = 0 AND started_at >= $1 AND started_at < $2 GROUP BY outcome`,
    [from, to],
  );
  const passed = rows.find(({ outcome }) => outcome === outcomeCodes.encode('passed'))?.['n'];
  const all = rows.reduce((sum, { n }) => sum + Number(n), 0);
  return { passed: Number(passed ?? 0), others: all - Number(passed ?? 0) };
}
