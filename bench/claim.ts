// Time to claim 500 due rows out of many after half an hour of work: schedules and runs, on both engines; and the
// scheduler's complete tick, which also creates the runs.
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
/** Maximum time of a claim, ms: the median and the 95th percentile, which shows our own pauses. */
const bars = [10, 20] as const;
/** Maximum time of a tick, ms: a sixth and a third of the interval. */
const tickBars = [50, 100] as const;
/** Maximum rounds per counted round; in the others, the host gave CPU time to other machines. */
const maxRounds = 4;
/** Stolen time appears at the next tick of that processor, ms. */
const tickMs = 12;
/** Rows that die per minute: each run is leased once and removed once. */
const deadInAMinute = (2 * perStep * minuteMs) / stepMs;

export const claimBench: Bench = {
  about: 'claiming 500 due rows out of 100,000 and 1,000,000 schedules, on both engines, after 30 minutes of work',
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
      ...rowsOf('claim of runs with cached checks', ticks.claims, bars),
      ...rowsOf('tick: claim schedules, create runs', ticks.tick, tickBars),
      ...(kept === null ? [] : keptRows(title, kept, minutes - 1)),
    ],
    notes: [
      `${title}: ${minutes} minutes of ${perStep} schedules due every ${stepMs} ms (their interval is ${churned.intervalMs / 1000} s), the last one by the product's ticks, claims and recording, earlier ones as 5 statements per step; results retained` +
        `; of ${claimed.rounds + ticks.rounds} rounds, those with stolen CPU time are excluded: ${claimed.takenRounds} claims of schedules, ${ticks.takenRounds} ticks or claims of runs` +
        (kept === null
          ? ''
          : `; autovacuum with the settings of each table, every ${rawMinuteS} s, the minimum duration of a minute of statements, but not in the last minute, whose dead rows remain; shared_buffers 1 GB`),
    ],
    faults: [...claimed.faults, ...ticks.faults, ...shared].map((fault) => `${title}: ${fault}`),
  };
}

/** Dead rows in the table of runs, and the vacuums that removed them. */
interface DeadRuns {
  readonly vacuums: number;
  readonly max: number;
  readonly measured: number;
}

/** Runs minutes of work, the last of them with the product's own statements. null = the engine has no dead rows. */
async function churn(churned: Churned, minutes: number, say: (what: string) => void): Promise<DeadRuns | null> {
  const { autovacuum } = churned;
  let max = 0;
  for (let minute = 1; minute < minutes; minute++) {
    if (minute % 5 === 0 || minute === 1) say(`minute ${minute} of ${minutes}`);
    const endsAt = performance.now() + rawMinuteS * 1000;
    for (let at = 0; at < minuteMs; at += stepMs) await churned.step();
    max = Math.max(max, (await autovacuum?.of('runs'))?.dead ?? 0);
    // Otherwise more than a minute's rows would die between two vacuums.
    if (autovacuum !== null) await pause(Math.max(0, endsAt - performance.now()));
  }
  await autovacuum?.untilClean('runs');
  await autovacuum?.stayAway();
  const vacuums = (await autovacuum?.of('runs'))?.vacuums ?? 0;
  say(`minute ${minutes} of ${minutes}, with the product's statements`);
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
 * Autovacuum runs, leaves at most one minute's dead rows, and has not removed those of the last minute when measured.
 * The server removes some of them on its own.
 */
function keptRows(title: string, { vacuums, max, measured }: DeadRuns, minutes: number): Row[] {
  return [
    {
      figure: `${title}: runs, vacuums in ${minutes} minutes`,
      value: vacuums,
      unit: '',
      atLeast: Math.ceil(minutes / 3),
    },
    { figure: `${title}: runs, maximum dead rows`, value: max, unit: 'rows', atMost: deadInAMinute },
    { figure: `${title}: runs, dead rows when measured`, value: measured, unit: 'rows', atLeast: deadInAMinute / 4 },
  ];
}

/** Claims, advances and commits due schedules without creating runs. @param count of rounds that count */
async function claimSchedules(churned: Churned, count: number) {
  const times = new Times();
  const faults: string[] = [];
  let rounds = 0;
  for (; times.kept.length < count && rounds < count * maxRounds; rounds++) {
    churned.now += stepMs;
    const claimed = await times.measure(() => schedule(churned, () => []));
    if (claimed.schedules !== perStep) faults.push(`a claim returned ${claimed.schedules} schedules`);
  }
  if (times.kept.length < count) faults.push(tooBusy(times, count));
  return { times: times.kept, faults, rounds, takenRounds: times.taken };
}

/** Ticks of the scheduler, each followed by the claim of its runs, repeated once their checks are cached. @param count as above */
async function takeTicks(churned: Churned, count: number) {
  const [tick, claims] = [new Times(), new Times()];
  const faults: string[] = [];
  const { path } = churned;
  let rounds = 0;
  for (; Math.min(tick.kept.length, claims.kept.length) < count && rounds < count * maxRounds; rounds++) {
    churned.now += stepMs;
    const scheduled = await tick.measure(() => schedule(churned));
    if (scheduled.runs !== perStep) faults.push(`a tick created ${scheduled.runs} runs`);
    const first = await claim(churned, 'one');
    await path.returnRuns(
      first.map(({ run }) => run),
      'one',
    );
    const second = await claims.measure(() => claim(churned, 'one'));
    if (second.length !== perStep) faults.push(`a claim returned ${second.length} runs`);
    if (second.some(({ context }) => context === null)) faults.push('a claimed run has no check');
    await churned.end('one');
  }
  for (const times of [tick, claims]) if (times.kept.length < count) faults.push(tooBusy(times, count));
  return { tick: tick.kept, claims: claims.kept, faults, rounds, takenRounds: tick.taken + claims.taken };
}

function tooBusy({ kept, taken }: Times, count: number): string {
  return `the host stole CPU time in ${taken} of ${taken + kept.length} rounds, so only ${kept.length} of ${count} required rounds count`;
}

/** Two schedulers and two runners with the same rows: nothing may be claimed twice or skipped. */
async function takeAtOnce(churned: Churned, count: number): Promise<string[]> {
  const faults: string[] = [];
  for (let round = 0; round < count; round++) {
    churned.now += stepMs;
    const scheduled = await Promise.all([schedule(churned), schedule(churned)]);
    const left = await schedule(churned);
    const made = [...scheduled, left].reduce((sum, { runs }) => sum + runs, 0);
    if (made !== perStep) faults.push(`two schedulers created ${made} runs of ${perStep} slots`);
    const claims = await Promise.all([claim(churned, 'one'), claim(churned, 'two')]);
    const rest = await claim(churned, 'one');
    const ids = [...claims.flat(), ...rest].map(({ run }) => run.id);
    if (ids.length !== perStep || new Set(ids).size !== perStep)
      faults.push(`two runners claimed ${ids.length} times, ${new Set(ids).size} of ${perStep} runs`);
    await churned.end('one');
    await churned.end('two');
  }
  return faults;
}

/** Durations of the rounds without stolen CPU time, ms. */
class Times {
  readonly kept: number[] = [];
  /** Number of rounds with stolen CPU time. */
  taken = 0;

  async measure<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const stolen = countStolen();
    const startedAt = performance.now();
    const answer = await work();
    const endedAt = performance.now();
    // Not a pause, because an idle processor has no ticks.
    while (performance.now() - endedAt < tickMs);
    if (stolen() > 0) this.taken++;
    else this.kept.push(endedAt - startedAt);
    return answer;
  }
}
