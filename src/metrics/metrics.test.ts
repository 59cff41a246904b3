// Prometheus metrics of the scheduler and of checks.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessSign } from '#domain/accounts/process.ts';
import type { Figures } from '#store/accounts/figures.ts';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { noFigures } from '../../tests/support/service/no-figures.ts';
import { until } from '../../tests/support/until.ts';
import { createMetrics } from './metrics.ts';

it('the lag of the scheduler is the longest since the last scrape', async (t) => {
  const metrics = createMetrics(noFigures, {
    probeLoopDelayMs: () => 0,
    now: () => 0,
    ownProcess: () => null,
    runtimeEnds: () => [],
    showsChecks: true,
  });
  t.after(() => metrics.stop());
  const lag = async (): Promise<string | undefined> =>
    /^tocsin_schedule_lag_seconds (.*)$/m.exec(await metrics.registry.metrics())?.[1];
  metrics.onScheduled({ missed: 0, latestByMs: 1500 });
  metrics.onScheduled({ missed: 0, latestByMs: 20 });
  assert.deepEqual([await lag(), await lag()], ['1.5', '0']);
});

it('the loop delay excludes the interval between two measurements', async (t) => {
  const metrics = createMetrics(noFigures, {
    probeLoopDelayMs: () => 0,
    now: () => 0,
    ownProcess: () => null,
    runtimeEnds: () => [],
    showsChecks: false,
  });
  t.after(() => metrics.stop());
  const delay = async (): Promise<number> =>
    Number(/^tocsin_event_loop_delay_seconds\{thread="main"\} (.*)$/m.exec(await metrics.registry.metrics())?.[1]);
  // Starting before the first measurement, during one, and right after a scrape.
  for (const restMs of [0, 20, 0, 120]) {
    await pause(restMs);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    await pause(1);
    const held = await delay();
    assert.ok(held >= 0.2, `${held} s after ${restMs} ms`);
  }
  // A busy machine delays it as well, but not at every measurement.
  await until('measurements without a delay', async () => {
    await pause(250);
    return (await delay()) < 0.045;
  });
});

it('states of checks are exported only if enabled, and only then read from the database', async (t) => {
  let reads = 0;
  const state = { accountId: 'a', checkId: 'c', name: 'Cart', status: 'failing', responseTimeMs: 12 };
  const checkStates = () => Promise.resolve(++reads > 0 ? [state] : []);
  const scrape = async (showsChecks: boolean): Promise<string> => {
    const sources = {
      probeLoopDelayMs: () => 0,
      now: () => 0,
      ownProcess: () => null,
      runtimeEnds: () => [],
      showsChecks,
    };
    const metrics = createMetrics({ ...noFigures, checkStates }, sources);
    t.after(() => metrics.stop());
    return metrics.registry.metrics();
  };
  assert.doesNotMatch(await scrape(false), /tocsin_check_/);
  assert.equal(reads, 0);
  assert.match(await scrape(true), /^tocsin_check_state\{account="a",check="c",name="Cart"\} 2$/m);
});

it('exports pings by outcome, the delay of missed deadlines, and the age of the oldest due heartbeat', async (t) => {
  const sources = {
    probeLoopDelayMs: () => 0,
    now: () => 10_000,
    ownProcess: () => null,
    runtimeEnds: () => [],
    showsChecks: false,
  };
  const metrics = createMetrics({ ...noFigures, heartbeatDueAt: () => Promise.resolve(7500) }, sources);
  t.after(() => metrics.stop());
  metrics.onPing('fail', 'refused');
  metrics.onPing('fail', 'refused');
  metrics.onOverdue('failed', 1100);
  metrics.onOverdue('unknown', -5);
  const text = await metrics.registry.metrics();
  for (const line of [
    'tocsin_pings_total{signal="fail",what="refused"} 2',
    'tocsin_heartbeat_judge_delay_seconds_bucket{le="1",outcome="failed"} 0',
    'tocsin_heartbeat_judge_delay_seconds_bucket{le="1.25",outcome="failed"} 1',
    'tocsin_heartbeat_judge_delay_seconds_count{outcome="unknown"} 1',
    'tocsin_heartbeat_due_age_seconds 2.5',
  ]) {
    assert.ok(text.includes(`${line}\n`), line);
  }
});

it('exports the age of the oldest run by location, and zero for its own location without one', async (t) => {
  const own: ProcessSign = {
    id: 'p',
    roles: ['runner'],
    version: '1',
    location: { code: 'here', name: 'Here' },
    host: 'h',
    pid: 1,
    publicUrl: null,
    startedAt: 0,
    seenAt: 0,
    holds: { runs: 0, deliveries: 0 },
    noBrowserSince: null,
    resolverDownSince: null,
    listeners: [],
    scriptsRefused: null,
    stalled: [],
    notices: [],
  };
  let queue: Awaited<ReturnType<Figures['runQueue']>> = [
    { location: 'far', waitingSince: 7500 },
    { location: 'near', waitingSince: null },
  ];
  const sources = {
    probeLoopDelayMs: () => 0,
    now: () => 10_000,
    ownProcess: () => own,
    runtimeEnds: () => [],
    showsChecks: false,
  };
  const metrics = createMetrics({ ...noFigures, runQueue: () => Promise.resolve(queue) }, sources);
  t.after(() => metrics.stop());
  const ages = async (): Promise<string[]> =>
    (await metrics.registry.metrics()).match(/(?<=^tocsin_run_queue_age_seconds)\{.*$/gm)?.toSorted() ?? [];
  assert.deepEqual(await ages(), ['{location="far"} 2.5', '{location="here"} 0', '{location="near"} 0']);
  queue = [{ location: 'here', waitingSince: 4000 }];
  assert.deepEqual(await ages(), ['{location="here"} 6'], 'a location without open runs is omitted');
});

it('exports when runtimes end, and withheld verdicts by reason', async (t) => {
  let runtimeEnds = [
    { runtime: '2026.04', at: 1_809_043_200_000 },
    { runtime: '2025.10', at: 1_777_507_200_000 },
  ];
  const sources = { probeLoopDelayMs: () => 0, now: () => 0, ownProcess: () => null, showsChecks: false };
  const metrics = createMetrics(noFigures, { ...sources, runtimeEnds: () => runtimeEnds });
  t.after(() => metrics.stop());
  for (const [outcome, reason] of [
    ['passed', null],
    ['failed', 'script'],
    ['unknown', 'runtime'],
    ['unknown', 'runtime'],
    ['unknown', 'observer-slow'],
  ] as const) {
    metrics.onRecorded({ outcome, finding: { reason } });
  }
  const lines = async (name: string): Promise<string[]> =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
  assert.deepEqual(await lines('tocsin_verdicts_withheld_total'), [
    'tocsin_verdicts_withheld_total{reason="runtime"} 2',
    'tocsin_verdicts_withheld_total{reason="observer-slow"} 1',
  ]);
  const end = 'tocsin_runtime_end_timestamp_seconds';
  assert.deepEqual(await lines(end), [`${end}{runtime="2026.04"} 1809043200`, `${end}{runtime="2025.10"} 1777507200`]);
  runtimeEnds = [];
  assert.deepEqual(await lines(end), [], 'a removed runtime is omitted');
});

it('omits what cannot be read while the database is unavailable, says so, and exports the rest', async (t) => {
  let fault: Error | null = null;
  const figures = Object.fromEntries(
    Object.entries(noFigures).map(([name, read]) => [
      name,
      (now: number) => (fault === null ? read(now) : Promise.reject(fault)),
    ]),
  ) as unknown as Figures;
  const state = { accountId: 'a', checkId: 'c', name: 'Cart', status: 'failing', responseTimeMs: 12 };
  const checkStates = () => (fault === null ? Promise.resolve([state]) : Promise.reject(fault));
  const queue = [{ location: 'local', waitingSince: null }];
  const runQueue = () => (fault === null ? Promise.resolve(queue) : Promise.reject(fault));
  const sources = {
    probeLoopDelayMs: () => 0,
    now: () => 0,
    ownProcess: () => null,
    runtimeEnds: () => [],
    showsChecks: true,
  };
  const metrics = createMetrics({ ...figures, checkStates, runQueue }, sources);
  t.after(() => metrics.stop());
  const namesWithLines = async (): Promise<string[]> => [
    ...new Set(
      [...(await metrics.registry.metrics()).matchAll(/^(\w+)(?:\{.*\})? \S+$/gm)].map(([, name = '']) => name),
    ),
  ];
  const before = await namesWithLines();
  assert.match(await metrics.registry.metrics(), /^tocsin_database_up 1$/m);
  fault = new StoreUnavailableError('the database is not available');
  assert.match(await metrics.registry.metrics(), /^tocsin_database_up 0$/m);
  const left = await namesWithLines();
  assert.deepEqual(before.filter((name) => !left.includes(name)).toSorted(), [
    'tocsin_channels_failing',
    'tocsin_check_response_seconds',
    'tocsin_check_state',
    'tocsin_conservation_difference',
    'tocsin_deliveries_pending',
    'tocsin_heartbeat_due_age_seconds',
    'tocsin_outbox_age_seconds',
    'tocsin_page_copies_failing',
    'tocsin_roll_up_delay_seconds',
    'tocsin_run_queue_age_seconds',
    'tocsin_runs',
  ]);
  fault = null;
  assert.deepEqual(await namesWithLines(), before);
  assert.match(await metrics.registry.metrics(), /^tocsin_database_up 1$/m);
  fault = new TypeError('a bug');
  await assert.rejects(metrics.registry.metrics(), fault, 'a permanent error is not hidden');
});
