// Heartbeats: durable pings per second, and the time to evaluate a hundred thousand overdue ones.
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { Check } from '#domain/checks/check.ts';
import { settleMs } from '#domain/checks/heartbeat.ts';
import { checkRow } from '#store/checks/check-rows.ts';
import { idBytes } from '#store/base/codec.ts';
import { createSeal } from '#store/base/seal.ts';
import { aCheck } from '../tests/support/store/records.ts';
import { median, type Bench, type BenchOptions, type Findings, joinFindings, type Row } from './support/report.ts';
import { type Peer, startPeer } from './support/peer.ts';
import { bootstrapKey, databasePath, readRows, secretKeyText, seedAccount } from './support/seed.ts';
import { pause, startService } from './support/service.ts';

/** Enough that none exceeds its rate limit (docs/decisions/0090). */
const pinged = 10_000;
const connections = 64;
const hourMs = 3_600_000;

export const heartbeatBench: Bench = {
  about: 'durable pings per second to 10,000 heartbeats; 100,000 heartbeats overdue at once',
  run: async (options) => joinFindings([await measurePings(options), await measureOverdue(options)]),
};

async function measurePings({ folder, isQuick, profileFolder, say }: BenchOptions): Promise<Findings> {
  const dataDir = `${folder}/pings`;
  const accountId = await seedAccount(dataDir);
  say(`adding ${pinged} heartbeats`);
  const timerAt = Date.now();
  const tokens = seedHeartbeats(dataDir, accountId, pinged, { dueAt: timerAt + hourMs + settleMs, timerAt });
  const load = startPeer('load');
  const service = await startService({ dataDir, profileFolder });
  const paths = tokens.map((token) => `/ping/${token}`);
  const forMs = isQuick ? 3000 : 8000;
  await ask(load, service.address, paths, isQuick ? 2000 : 5000);
  const rates: number[] = [];
  let [wrong, answered] = [0, 0];
  const before = countOf(dataDir, 'pings');
  const cpuBefore = service.cpuSeconds();
  for (let round = 0; round < 3; round++) {
    say(`pinging over ${connections} connections`);
    const found = await ask(load, service.address, paths, forMs);
    rates.push(found.perSecond);
    wrong += found.wrong;
    answered += found.done - found.wrong;
  }
  const cpu = service.cpuSeconds() - cpuBefore;
  const durable = countOf(dataDir, 'pings') - before;
  await Promise.all([service.stop(), load.stop()]);
  const perThousand: Row = { figure: 'CPU for 1,000 pings', value: (cpu / durable) * 1000, unit: 's' };
  return {
    rows: [{ figure: 'durable pings', value: median(rates), unit: '/s', atLeast: 5000 }, perThousand],
    notes: [
      `${pinged} hourly heartbeats in rotation, GET, one ping at a time per connection; rounds ${rates.map(Math.round).join(', ')}/s`,
    ],
    faults: [
      ...(wrong === 0 ? [] : [`${wrong} responses other than 200`]),
      // Each connection waits for its response before the next ping, so none is in progress at the end.
      ...(durable >= answered ? [] : [`${durable} pings are in the database, ${answered} were acknowledged`]),
    ],
  };
}

function ask(load: Peer, url: string, paths: readonly string[], forMs: number) {
  return load.ask<{ done: number; perSecond: number; wrong: number }>('load', {
    url,
    paths,
    key: bootstrapKey,
    connections,
    forMs,
  });
}

async function measureOverdue({ folder, isQuick, profileFolder, say }: BenchOptions): Promise<Findings> {
  const count = isQuick ? 20_000 : 100_000;
  const dataDir = `${folder}/overdue`;
  const accountId = await seedAccount(dataDir);
  say(`adding ${count} heartbeats`);
  const deadline = seedOverdue(dataDir, accountId, count);
  const service = await startService({ dataDir, profileFolder });
  const dueAt = deadline + settleMs;
  const lateMs = Date.now() - dueAt;
  await pause(Math.max(0, -lateMs));
  say(`${count} are overdue`);
  const until = performance.now() + 120_000;
  // Does not count rows, which would take CPU time from the evaluation.
  const database = new DatabaseSync(databasePath(dataDir), { readOnly: true, timeout: 5000 });
  const oneWaits = database.prepare('SELECT 1 FROM heartbeats WHERE due_at <= ? LIMIT 1');
  while (performance.now() < until && oneWaits.get(dueAt) !== undefined) await pause(50);
  const tookMs = Date.now() - deadline;
  database.close();
  const failed = countOf(dataDir, 'results');
  const alerts = countOf(dataDir, 'alerts');
  await service.stop();
  return {
    rows: [
      {
        figure: `${count} overdue at once, until all are evaluated`,
        value: tookMs / 1000,
        unit: 's',
        atMost: (10 * count) / 100_000,
      },
    ],
    notes: ['from the common deadline to the last result; each with an alert, without a subscribed channel'],
    faults: [
      ...(lateMs < 0 ? [] : [`the service was ready ${lateMs} ms after they were due`]),
      ...(failed === count && alerts === count ? [] : [`${failed} results and ${alerts} alerts instead of ${count}`]),
    ],
  };
}

/** Adds pinged and evaluated heartbeats with one common future deadline, and returns it. */
function seedOverdue(dataDir: string, accountId: string, count: number): number {
  // Adding them takes about this long, and the start takes a few seconds more.
  const deadline = Date.now() + 10_000 + count / 10;
  seedHeartbeats(dataDir, accountId, count, { dueAt: deadline + settleMs, timerAt: deadline - hourMs });
  return deadline;
}

/** Adds heartbeats that were last pinged and evaluated at `timerAt`, epoch ms; returns their tokens. */
function seedHeartbeats(
  dataDir: string,
  accountId: string,
  count: number,
  { dueAt, timerAt }: { readonly dueAt: number; readonly timerAt: number },
): string[] {
  const seal = createSeal(Buffer.from(secretKeyText, 'hex'));
  const database = new DatabaseSync(databasePath(dataDir));
  const checks = database.prepare(
    `INSERT INTO checks (account_id, id, check_type, name, activated, muted, group_id, tags, definition, created_at)
     VALUES (?, ?, ?, ?, 1, 0, NULL, ?, ?, ?)`,
  );
  const rows = database.prepare(
    `INSERT INTO heartbeats (account_id, check_id, token, is_active, period_ms, grace_ms, due_at, timer_at, result_at,
       is_passing, is_excused) VALUES (?, ?, ?, 1, ?, 0, ?, ?, ?, 1, 0)`,
  );
  const tokens = Array.from({ length: count }, () => randomUUID());
  database.exec('BEGIN');
  for (const token of tokens) {
    const row = checkRow(heartbeat(accountId, token), seal);
    checks.run(row.account_id, row.id, row.check_type, row.name, row.tags, row.definition, Date.now());
    rows.run(row.account_id, row.id, idBytes(token), hourMs, dueAt, timerAt, timerAt);
  }
  database.exec('COMMIT');
  database.close();
  return tokens;
}

function heartbeat(accountId: string, pingToken: string): Check {
  const settings = { heartbeat: { period: 1, periodUnit: 'hours', grace: 0, graceUnit: 'hours', pingToken } };
  return aCheck(accountId, { checkType: 'HEARTBEAT', settings });
}

function countOf(dataDir: string, table: string): number {
  return Number(readRows(dataDir, `SELECT count(*) AS n FROM ${table}`)[0]?.['n']);
}
