// What it takes to claim 500 due rows out of many, after half an hour of work at them: schedules and runs, on both
// engines; and the scheduler's whole turn, which also makes the runs of what it claimed.
import { planRuns, type RunPlan } from '#domain/plan-runs.ts';
import type { ClaimedRun } from '#store/path.ts';
import { type Churned, openChurned, perStep, stepMs } from './support/churn.ts';
import { percentile } from './support/numbers.ts';
import type { Bench, BenchOptions, Findings, Row } from './support/report.ts';

const sizes = [100_000, 1_000_000];
const engines = ['sqlite', 'postgres'] as const;
const names = { sqlite: 'SQLite', postgres: 'PostgreSQL' };
const minuteMs = 60_000;
/** What a claim may take, ms: the median, and the 95th of a hundred, in which others at the same two processors show. */
const bars = [10, 20] as const;

export const claimBench: Bench = {
  about: 'taking 500 due rows out of 100,000 and 1,000,000 schedules, on both engines, after 30 minutes of work',
  async run(options) {
    const findings: Findings[] = [];
    for (const engine of engines)
      for (const schedules of sizes) findings.push(await measure(engine, schedules, options));
    return {
      rows: findings.flatMap(({ rows }) => rows),
      notes: findings.flatMap(({ notes }) => notes),
      faults: findings.flatMap(({ faults }) => faults),
    };
  },
};

async function measure(
  engine: (typeof engines)[number],
  schedules: number,
  { folder, isQuick, say }: BenchOptions,
): Promise<Findings> {
  const title = `${names[engine]}, ${schedules.toLocaleString('en')}`;
  say(`${title}: seeding`);
  await using churned = await openChurned(engine, { schedules, folder: `${folder}/${engine}-${schedules}` });
  const minutes = isQuick ? 3 : 30;
  for (let minute = 1; minute <= minutes; minute++) {
    if (minute % 5 === 0 || minute === 1) say(`${title}: minute ${minute} of ${minutes}`);
    // What comes after a minute comes before the next: at the end the rows of a whole minute lie there dead.
    if (minute > 1) await churned.upkeep();
    for (let at = 0; at < minuteMs; at += stepMs) await churned.step();
  }
  say(`${title}: measuring`);
  const claimed = await claimSchedules(churned, isQuick ? 30 : 200);
  const turns = await takeTurns(churned, isQuick ? 30 : 200);
  const shared = await takeAtOnce(churned, isQuick ? 5 : 20);
  const rowsOf = (what: string, times: readonly number[], atMost: readonly number[] = []): Row[] =>
    [0.5, 0.95].map((share, index) => ({
      figure: `${title}: ${what}, p${share * 100}`,
      value: percentile(times, share),
      unit: 'ms',
      ...(atMost[index] !== undefined && { atMost: atMost[index] }),
    }));
  return {
    rows: [
      ...rowsOf('claim of schedules', claimed.times, bars),
      ...rowsOf('claim of runs', turns.warm, bars),
      ...rowsOf('claim of runs, checks unread', turns.cold),
      ...rowsOf('turn: schedules claimed, runs made', turns.turn),
    ],
    notes: [
      `${title}: ${minutes} minutes of ${perStep} schedules due every ${stepMs} ms (their interval is ${churned.intervalMs / 1000} s) as 5 statements a step, results kept;` +
        (engine === 'postgres'
          ? ' VACUUM (ANALYZE) of schedules and runs after each minute but the last, as autovacuum would by its settings here; shared_buffers 1 GB'
          : ''),
    ],
    faults: [...claimed.faults, ...turns.faults, ...shared].map((fault) => `${title}: ${fault}`),
  };
}

/** Due schedules taken, moved on and committed, and nothing made of them. */
async function claimSchedules(churned: Churned, count: number) {
  const times: number[] = [];
  const faults: string[] = [];
  for (let round = 0; round < count; round++) {
    churned.now += stepMs;
    const [claimed, ms] = await timed(() => schedule(churned, () => []));
    if (claimed.schedules !== perStep) faults.push(`a claim took ${claimed.schedules} schedules`);
    times.push(ms);
  }
  return { times, faults };
}

/** Turns of the scheduler, each with the claim of its runs: once with checks to be read, once with them in memory. */
async function takeTurns(churned: Churned, count: number) {
  const [turn, cold, warm]: [number[], number[], number[]] = [[], [], []];
  const faults: string[] = [];
  const { path } = churned;
  for (let round = 0; round < count; round++) {
    churned.now += stepMs;
    const [scheduled, turnMs] = await timed(() => schedule(churned));
    if (scheduled.runs !== perStep) faults.push(`a turn made ${scheduled.runs} runs`);
    const [first, coldMs] = await timed(() => claim(churned, 'one'));
    await path.returnRuns(
      first.map(({ run }) => run),
      'one',
    );
    const [second, warmMs] = await timed(() => claim(churned, 'one'));
    if (second.length !== perStep) faults.push(`a claim took ${second.length} runs`);
    if (second.some(({ context }) => context === null)) faults.push('a run came without its check');
    await churned.end('one');
    turn.push(turnMs);
    cold.push(coldMs);
    warm.push(warmMs);
  }
  return { turn, cold, warm, faults };
}

/** Two schedulers and two runners at the same rows: nothing may be taken twice or left. */
async function takeAtOnce(churned: Churned, count: number): Promise<string[]> {
  const faults: string[] = [];
  for (let round = 0; round < count; round++) {
    churned.now += stepMs;
    const scheduled = await Promise.all([schedule(churned), schedule(churned)]);
    const left = await schedule(churned);
    const made = [...scheduled, left].reduce((sum, { runs }) => sum + runs, 0);
    if (made !== perStep) faults.push(`two schedulers made ${made} runs of ${perStep} slots`);
    const claims = await Promise.all([claim(churned, 'one'), claim(churned, 'two')]);
    const rest = await claim(churned, 'one');
    const ids = [...claims.flat(), ...rest].map(({ run }) => run.id);
    if (ids.length !== perStep || new Set(ids).size !== perStep)
      faults.push(`two runners took ${ids.length} times ${new Set(ids).size} of ${perStep} runs`);
    await churned.end('one');
    await churned.end('two');
  }
  return faults;
}

/** @param made what of the planned runs is made: all of them unless told otherwise */
function schedule({ now, path }: Churned, made = (runs: RunPlan['runs']): RunPlan['runs'] => runs) {
  return path.scheduleDue({
    now,
    most: perStep,
    plan: (due) => {
      const plan = planRuns(due, now, ['local']);
      return { ...plan, runs: made(plan.runs) };
    },
    missedReason: () => 'overload',
  });
}

async function claim({ now, path }: Churned, owner: string): Promise<readonly ClaimedRun[]> {
  return (await path.claimRuns({ location: 'local', owner, now, leaseMs: 10_000, most: perStep })).runs;
}

async function timed<Answer>(work: () => Promise<Answer>): Promise<[Answer, number]> {
  const startedAt = performance.now();
  const answer = await work();
  return [answer, performance.now() - startedAt];
}
