// What it takes to claim 500 due rows out of many, after half an hour of work at them: schedules and runs, on both
// engines; and the scheduler's whole turn, which also makes the runs of what it claimed.
import { type Churned, openChurned, perStep, rawMinuteS, stepMs } from './support/churn.ts';
import { countStolen } from './support/machine.ts';
import { percentile } from './support/numbers.ts';
import type { Bench, BenchOptions, EngineName, Findings, Row } from './support/report.ts';
import { pause } from './support/service.ts';
import { claim, record, schedule } from './support/ticks.ts';

const sizes = [100_000, 1_000_000];
const engines = ['sqlite', 'postgres'] as const;
const names: Readonly<Record<(typeof engines)[number], EngineName>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };
const minuteMs = 60_000;
/** What a claim may take, ms: the median, and the 95th of a hundred, in which pauses of our own show. */
const bars = [10, 20] as const;
/** What a whole turn may take, ms: a sixth and a third of the time to the next one. */
const tickBars = [50, 100] as const;
/** Rounds to a round that counts, at most: in the others the host gave processors of this machine to others. */
const maxRounds = 4;
/** What the host took shows at the next tick of the processor it took, ms. */
const tickMs = 12;
/** Rows that die in a minute: each run is leased once and removed once. */
const deadInAMinute = (2 * perStep * minuteMs) / stepMs;

export const claimBench: Bench = {
  about: 'taking 500 due rows out of 100,000 and 1,000,000 schedules, on both engines, after 30 minutes of work',
  async run(options) {
    const findings: Findings[] = [];
    const wanted = engines.filter((engine) => options.engine === null || options.engine === names[engine]);
    for (const engine of wanted)
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
  const kept = await churn(churned, minutes, (what) => say(`${title}: ${what}`));
  say(`${title}: measuring`);
  const claimed = await claimSchedules(churned, isQuick ? 30 : 200);
  const ticks = await takeTicks(churned, isQuick ? 30 : 200);
  const shared = await takeAtOnce(churned, isQuick ? 5 : 20);
  const rowsOf = (what: string, times: readonly number[], [median, max]: readonly [number, number]): Row[] => [
    { figure: `${title}: ${what}, p50`, value: percentile(times, 0.5), unit: 'ms', atMost: median },
    { figure: `${title}: ${what}, p95`, value: percentile(times, 0.95), unit: 'ms', atMost: max },
  ];
  return {
    rows: [
      ...rowsOf('claim of schedules', claimed.times, bars),
      ...rowsOf('claim of runs, their checks in memory', ticks.claims, bars),
      ...rowsOf('turn: schedules claimed, runs made', ticks.tick, tickBars),
      ...(kept === null ? [] : keptRows(title, kept, minutes - 1)),
    ],
    notes: [
      `${title}: ${minutes} minutes of ${perStep} schedules due every ${stepMs} ms (their interval is ${churned.intervalMs / 1000} s), the last by turns, claims and recording of the product, those before as 5 statements a step; results kept` +
        `; of ${claimed.rounds + ticks.rounds} rounds those are left out in which the host took time of the processors: ${claimed.takenRounds} claims of schedules, ${ticks.takenRounds} turns or claims of runs` +
        (kept === null
          ? ''
          : `; autovacuum by the settings of each table, come every ${rawMinuteS} s, which each minute of statements lasts at least, and not in the last minute: its dead rows lie there; shared_buffers 1 GB`),
    ],
    faults: [...claimed.faults, ...ticks.faults, ...shared].map((fault) => `${title}: ${fault}`),
  };
}

/** What lay dead in the table of runs, and what came to clean it. */
interface DeadRuns {
  readonly vacuums: number;
  readonly max: number;
  readonly measured: number;
}

/** Minutes of work, the last of them by the product's own statements. null = no dead rows lie there on this engine. */
async function churn(churned: Churned, minutes: number, say: (what: string) => void): Promise<DeadRuns | null> {
  const { autovacuum } = churned;
  let max = 0;
  for (let minute = 1; minute < minutes; minute++) {
    if (minute % 5 === 0 || minute === 1) say(`minute ${minute} of ${minutes}`);
    const endsAt = performance.now() + rawMinuteS * 1000;
    for (let at = 0; at < minuteMs; at += stepMs) await churned.step();
    max = Math.max(max, (await autovacuum?.of('runs'))?.dead ?? 0);
    // More than a minute's worth of rows would die between two visits of it.
    if (autovacuum !== null) await pause(Math.max(0, endsAt - performance.now()));
  }
  await autovacuum?.untilClean('runs');
  await autovacuum?.stayAway();
  const vacuums = (await autovacuum?.of('runs'))?.vacuums ?? 0;
  say(`minute ${minutes} of ${minutes}, by the product's statements`);
  for (let at = 0; at < minuteMs; at += stepMs) {
    churned.now += stepMs;
    await schedule(churned);
    await record(churned, await claim(churned, 'one'), 'one');
  }
  await autovacuum?.untilIdle();
  const measured = (await autovacuum?.counted('runs'))?.dead ?? 0;
  return autovacuum === null ? null : { vacuums, max, measured };
}

/**
 * Autovacuum comes, leaves no more than what dies in a minute, and has left what died in the last one where it is measured: the
 * server takes some of it away by itself when it comes by.
 */
function keptRows(title: string, { vacuums, max, measured }: DeadRuns, minutes: number): Row[] {
  return [
    {
      figure: `${title}: runs, vacuums in ${minutes} minutes`,
      value: vacuums,
      unit: '',
      atLeast: Math.ceil(minutes / 3),
    },
    { figure: `${title}: runs, dead rows at most`, value: max, unit: 'rows', atMost: deadInAMinute },
    { figure: `${title}: runs, dead rows when measured`, value: measured, unit: 'rows', atLeast: deadInAMinute / 4 },
  ];
}

/** Due schedules taken, moved on and committed, and nothing made of them. @param count of rounds that count */
async function claimSchedules(churned: Churned, count: number) {
  const times = new Times();
  const faults: string[] = [];
  let rounds = 0;
  for (; times.kept.length < count && rounds < count * maxRounds; rounds++) {
    churned.now += stepMs;
    const claimed = await times.measure(() => schedule(churned, () => []));
    if (claimed.schedules !== perStep) faults.push(`a claim took ${claimed.schedules} schedules`);
  }
  if (times.kept.length < count) faults.push(tooBusy(times, count));
  return { times: times.kept, faults, rounds, takenRounds: times.taken };
}

/** Turns of the scheduler, each with the claim of its runs: again once their checks are read. @param count as above */
async function takeTicks(churned: Churned, count: number) {
  const [tick, claims] = [new Times(), new Times()];
  const faults: string[] = [];
  const { path } = churned;
  let rounds = 0;
  for (; Math.min(tick.kept.length, claims.kept.length) < count && rounds < count * maxRounds; rounds++) {
    churned.now += stepMs;
    const scheduled = await tick.measure(() => schedule(churned));
    if (scheduled.runs !== perStep) faults.push(`a turn made ${scheduled.runs} runs`);
    const first = await claim(churned, 'one');
    await path.returnRuns(
      first.map(({ run }) => run),
      'one',
    );
    const second = await claims.measure(() => claim(churned, 'one'));
    if (second.length !== perStep) faults.push(`a claim took ${second.length} runs`);
    if (second.some(({ context }) => context === null)) faults.push('a run came without its check');
    await churned.end('one');
  }
  for (const times of [tick, claims]) if (times.kept.length < count) faults.push(tooBusy(times, count));
  return { tick: tick.kept, claims: claims.kept, faults, rounds, takenRounds: tick.taken + claims.taken };
}

function tooBusy({ kept, taken }: Times, count: number): string {
  return `the host took time of the processors in ${taken} of ${taken + kept.length} rounds: of ${count} that were wanted ${kept.length} say what a claim takes`;
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

/** How long work took, ms, each time that the host left us the processors meanwhile. */
class Times {
  readonly kept: number[] = [];
  /** How often it did not. */
  taken = 0;

  async measure<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const stolen = countStolen();
    const startedAt = performance.now();
    const answer = await work();
    const endedAt = performance.now();
    // Not a pause: a processor that has nothing to do has no ticks.
    while (performance.now() - endedAt < tickMs);
    if (stolen() > 0) this.taken++;
    else this.kept.push(endedAt - startedAt);
    return answer;
  }
}
