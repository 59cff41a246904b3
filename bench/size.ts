// Disk space of a recorded result: the real path from slot to row with a simulated clock.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { encodeDetails } from '#checks/parts/http/details.ts';
import { planRuns } from '#domain/checks/plan-runs.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import type { Finding } from '#domain/results/result.ts';
import type { Run } from '#domain/checks/run.ts';
import type { Store } from '#store/store.ts';
import type { Bench } from './support/report.ts';
import { apiCheck, databasePath, openBenchStore, seedAccount, seedChecks } from './support/seed.ts';

const checks = 1000;
const minuteMs = 60_000;
const marks = [20_000, 40_000, 80_000];

/**
 * One process with the real scheduling, leases, recording and encoding of API results. Only the target is missing; real
 * findings would differ in their numbers only.
 */
export const sizeBench: Bench = {
  about: 'database size per 1,000 passing results, and whether it grows linearly',
  async run({ folder, say }) {
    const dataDir = `${folder}/size`;
    const accountId = await seedAccount(dataDir);
    const often = { frequency: 1, frequencyOffset: null };
    const group = Array.from({ length: checks }, (_, index) =>
      apiCheck(accountId, `https://shop.example/${index}`, { ...often, name: `check ${index}` }),
    );
    await seedChecks(dataDir, group);
    const clock = { now: Date.now() };
    const store = openBenchStore(dataDir, () => clock.now);
    // The first minute creates what exists once per check: its state and its latest exchange.
    let recorded = await recordMinute(store, clock);
    const sizes = [{ rows: 0, bytes: checkpointedBytes(dataDir) }];
    const first = recorded;
    for (const mark of marks) {
      while (recorded - first < mark) {
        recorded += await recordMinute(store, clock);
      }
      say(`${recorded - first} results`);
      sizes.push({ rows: recorded - first, bytes: checkpointedBytes(dataDir) });
    }
    await store.close();
    const perThousand = sizes.slice(1).map(({ rows, bytes }, index) => {
      const before = sizes[index] ?? { rows: 0, bytes: 0 };
      return (bytes - before.bytes) / (rows - before.rows);
    });
    const [start, end] = [sizes[0], sizes.at(-1)];
    const overall = ((end?.bytes ?? 0) - (start?.bytes ?? 0)) / (end?.rows ?? Number.NaN);
    const slopes = perThousand.map((kb) => kb.toFixed(1)).join(', ');
    return {
      rows: [
        { figure: 'database per 1,000 results', value: overall, unit: 'kB', atMost: 200 },
        {
          figure: 'growth: last part compared with the first',
          value: (perThousand.at(-1) ?? Number.NaN) / (perThousand[0] ?? Number.NaN),
          unit: '×',
          atMost: 1.1,
        },
        { figure: 'stored once per check', value: (start?.bytes ?? 0) / checks / 1000, unit: 'kB per check' },
      ],
      notes: [
        `${checks} checks each minute, phases and three assertion outcomes per result; kB per 1,000 by part: ${slopes}`,
        `file after a checkpoint at ${sizes.map(({ rows, bytes }) => `${rows}: ${(bytes / 1e6).toFixed(1)} MB`).join(', ')}`,
      ],
      faults: [],
    };
  },
};

/** Simulates the next minute second by second, so that every slot is run in time. */
async function recordMinute(store: Store, clock: { now: number }): Promise<number> {
  const until = clock.now + minuteMs;
  let recorded = 0;
  while (clock.now < until) {
    clock.now += 1000;
    recorded += await recordDue(store, clock.now);
  }
  return recorded;
}

/** Schedules, leases and records all due slots, in commits of the usual size. */
async function recordDue(store: Store, now: number): Promise<number> {
  const plan = (schedule: Parameters<typeof planRuns>[0]) => planRuns(schedule, now, ['local']);
  for (;;) {
    const { nextDueAt } = await store.path.scheduleDue({ now, max: 500, plan, missedReason: () => 'downtime' });
    if (nextDueAt === null || nextDueAt > now) break;
  }
  const claim = { location: 'local', owner: 'bench', now, leaseMs: 10_000, max: 100_000 };
  const { runs } = await store.path.claimRuns(claim);
  for (let start = 0; start < runs.length; start += 200) {
    const attempts = runs
      .slice(start, start + 200)
      .flatMap(({ run, context }) => (context === null ? [] : [passed(run, context)]));
    await store.path.recordAttempts(attempts, {
      owner: 'bench',
      now,
      statusOf: () => 200,
      judge: (attempt) => attempt,
      render: () => ({ error: 'a passing result has no alert' }),
    });
  }
  return runs.length;
}

function passed(run: Run, context: CheckContext) {
  return {
    run,
    context,
    finding: finding(run.slotAt ?? 0),
    outcome: 'passed' as const,
    retry: null,
    rules: { escalation: { type: 'RUN_BASED' as const, runs: 1 }, isMuted: false, reminders: null, parallel: null },
  };
}

function finding(slotAt: number): Finding {
  const phases = {
    wait: 0,
    dns: 1 + Math.random() * 20,
    tcp: 5 + Math.random() * 30,
    tls: 10 + Math.random() * 40,
    firstByte: 20 + Math.random() * 200,
    download: Math.random() * 20,
  };
  const responseTimeMs = phases.dns + phases.tcp + phases.tls + phases.firstByte + phases.download;
  const startedAt = slotAt + 3 + Math.floor(Math.random() * 40);
  const outcome = { property: '', regex: null, problem: null, passed: true, message: '' };
  return {
    verdict: 'passed',
    reason: null,
    message: null,
    startedAt,
    stoppedAt: startedAt + Math.ceil(responseTimeMs),
    responseTimeMs,
    loopDelayMs: Math.floor(Math.random() * 8),
    details: encodeDetails({
      status: 200,
      statusText: 'OK',
      address: '203.0.113.17',
      protocol: { http: '1.1', tls: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384' },
      phases,
      sizes: { headers: 310, body: 1800 + Math.floor(Math.random() * 400), decoded: 4200 },
      truncated: false,
      redirects: [],
      assertions: [
        { ...outcome, source: 'STATUS_CODE', comparison: 'EQUALS', target: '200', actual: '200' },
        { ...outcome, source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '2000', actual: '180.2' },
        { ...outcome, source: 'JSON_BODY', comparison: 'EQUALS', property: '$.ok', target: 'true', actual: 'true' },
      ],
    }),
    exchange: JSON.stringify({
      request: { method: 'GET', url: 'https://shop.example/', headers: { accept: '*/*' }, body: '' },
      response: { status: 200, headers: { 'content-type': 'application/json' }, body: 'x'.repeat(1500) },
    }),
    certificate: { domain: 'shop.example', fingerprint: 'AB'.repeat(32), validTo: slotAt + 90 * 86_400_000 },
  };
}

function checkpointedBytes(dataDir: string): number {
  const database = new DatabaseSync(databasePath(dataDir), { timeout: 5000 });
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return statSync(databasePath(dataDir)).size;
}
