// Reading a month of results while a day of them is rolled up and another goes: ten million on each engine.
import { Agent, request } from 'node:http';
import { collectGarbage } from './support/collect-garbage.ts';
import { type HistoryEngine, postgresEngine, sqliteEngine } from './support/history-engines.ts';
import { type CheckPlan, dayMs, planHistory } from './support/history-plan.ts';
import { percentile } from './support/numbers.ts';
import type { Bench, BenchOptions, Row } from './support/report.ts';
import { bootstrapKey } from './support/seed.ts';
import { pause, type Service, startService } from './support/service.ts';

const resultsInAll = 10_000_000;
/** How long each question is asked again and again. */
const asks = 150;
const reportAsks = 5;
/** Days of results: one more than are kept, so that a day's rows go while the API is asked. */
const daysOf = (isQuick: boolean): number => (isQuick ? 6 : 31);

export const historyBench: Bench = {
  about: 'a check, an account and a result out of 10 million results (--results N), roll-up and retention meanwhile',
  async run(options) {
    const { folder, engine } = options;
    const found: Found[] = [];
    if (engine !== 'PostgreSQL')
      found.push(await onEngine(sqliteEngine(`${folder}/history`), `${folder}/history`, options));
    if (engine !== 'SQLite') found.push(await onEngine(await postgresEngine(), `${folder}/beside`, options));
    return {
      rows: found.flatMap(({ rows }) => rows),
      notes: found.flatMap(({ notes }) => notes),
      faults: found.flatMap(({ faults }) => faults),
    };
  },
};

interface Found {
  readonly rows: Row[];
  readonly notes: string[];
  readonly faults: string[];
}

async function onEngine(engine: HistoryEngine, dataDir: string, options: BenchOptions): Promise<Found> {
  const { say } = options;
  const { name } = engine;
  try {
    const now = Date.now();
    const accountId = await engine.seedAccount();
    const wanted = options.results ?? (options.isQuick ? resultsInAll / 20 : resultsInAll);
    const days = daysOf(options.isQuick);
    const plans = planHistory(accountId, wanted, days, now);
    const startedAt = performance.now();
    const written = await engine.fill(plans, now, say);
    const filledMs = performance.now() - startedAt;
    say(`${name}: ${written} results after ${(filledMs / 1000).toFixed(0)} s; rolling up all but the last day`);
    const rolled = await rollUpTo(engine, now - dayMs, days);
    const longestSliceMs = engine.isInLoop ? await removeTo(engine, now - (days - 0.5) * dayMs, now) : 0;
    await engine.tidy();
    say(
      `${name}: ${rolled.results} results rolled up in ${(rolled.tookMs / 1000).toFixed(0)} s, ` +
        `CPU of a turn p99 ${rolled.p99TurnMs.toFixed(0)} ms, of a slice of retention ${longestSliceMs.toFixed(0)} ms at most; ` +
        'asking while the rest is',
    );
    const busy = plans.filter(({ intervalMs }) => intervalMs === 60_000);
    const questions = questionsOf(busy);
    const goneBefore = engine.goneBefore(now - (days - 1) * dayMs);
    const isGone = async (): Promise<boolean> => (await old(engine, busy, goneBefore)) === 0;
    if (await isGone()) throw new Error('there is nothing to remove meanwhile');
    const roles = { TOCSIN_ROLES: 'api,upkeep', TOCSIN_RETENTION_DAYS: String(days - 1) };
    const { profileFolder } = options;
    const service = await startService({ dataDir, profileFolder, environment: { ...roles, ...engine.environment } });
    const meanwhile = await askWhileUpkeep(
      service,
      questions,
      async () => (await isRolledUp(service)) && (await isGone()),
    );
    say(`${name}: upkeep is through, API p99 ${percentile(meanwhile.times, 0.99).toFixed(0)} ms meanwhile; asking`);
    const rows: Row[] = [];
    for (const [what, question] of Object.entries(questions)) {
      await ask(service, question, warmUps);
      const cpuBefore = service.cpuSeconds();
      const times = await ask(service, question, asks);
      const cpuMs = ((service.cpuSeconds() - cpuBefore) / asks) * 1000;
      const value = percentile(times, 0.95);
      const median = percentile(times, 0.5).toFixed(1);
      say(`${name}: ${what}: p50 ${median} ms, p95 ${value.toFixed(1)} ms, CPU of the service ${cpuMs.toFixed(1)} ms`);
      rows.push({ figure: `${name}: ${what}, p95`, value, unit: 'ms', atMost: 50 });
      rows.push({ figure: `${name}: ${what}, CPU of the service`, value: cpuMs, unit: 'ms' });
    }
    for (const [what, question] of Object.entries(reports)) {
      const value = percentile(await ask(service, question, reportAsks), 0.5);
      say(`${name}: ${what}: p50 ${value.toFixed(0)} ms`);
      rows.push({ figure: `${name}: ${what}, p50`, value, unit: 'ms' });
    }
    const complaints = service
      .output()
      .split('\n')
      .filter((line) => /"level":"(error|fatal)"/.test(line));
    await service.stop();
    return {
      rows: [
        ...rows,
        { figure: `${name}: API meanwhile, p99`, value: percentile(meanwhile.times, 0.99), unit: 'ms', atMost: 100 },
        ...heldLoop(engine, rolled.longestTurnMs, longestSliceMs),
        { figure: `${name}: rolled up`, value: rolled.results / (rolled.tookMs / 1000), unit: 'results/s' },
        { figure: `${name}: CPU of it at 1,000 results/s`, value: rolled.cpuShare * 100, unit: '%', atMost: 5 },
      ],
      notes: [
        `${name}: ${written} results written in ${(filledMs / 1000).toFixed(0)} s; ${rolled.results} rolled up in ` +
          `${(rolled.tookMs / 1000).toFixed(0)} s, CPU of a turn p99 ${rolled.p99TurnMs.toFixed(0)} ms, of the longest, the kernel's in brackets: ${rolled.longest} ms`,
        `${name}: the last day rolled up and the oldest removed within ${(meanwhile.tookMs / 1000).toFixed(0)} s ` +
          `of ${meanwhile.times.length} answers, longest ${Math.max(...meanwhile.times).toFixed(0)} ms`,
      ],
      faults: complaints.slice(0, 3),
    };
  } finally {
    agent.destroy();
    await engine.stop();
  }
}

/** Rolls up all hours that have ended by `until` (epoch ms), turn after turn; the time of the process is measured. */
async function rollUpTo(engine: HistoryEngine, until: number, days: number) {
  const store = await engine.openStore(() => until);
  // What the making of ten million results has left would be collected in the middle of a turn.
  collectGarbage();
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  let results = 0;
  const turns: LoopTime[] = [];
  for (let isThrough = false; !isThrough;) {
    const { answer, ...time } = await loopTime(() => store.rollUps.turn(until, days * dayMs));
    turns.push(time);
    results += answer.results;
    isThrough = answer.isThrough;
  }
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  await store.close();
  const cpuShare = ((user + system) / 1e6 / results) * 1000;
  const times = turns.map(({ cpuMs }) => cpuMs);
  const longest = turns.toSorted((a, b) => b.cpuMs - a.cpuMs).slice(0, 5);
  return {
    results,
    tookMs,
    cpuShare,
    longestTurnMs: Math.max(...times),
    p99TurnMs: percentile(times, 0.99),
    longest: longest.map(({ cpuMs, systemMs }) => `${cpuMs.toFixed(0)} (${systemMs.toFixed(0)})`).join(', '),
  };
}

/** ms of CPU of the loop's thread, and what of it was the kernel's. */
interface LoopTime {
  readonly cpuMs: number;
  readonly systemMs: number;
}

/** What of `work` the thread of the loop had to do itself, ms. */
async function loopTime<Answer>(work: () => Promise<Answer>): Promise<LoopTime & { answer: Answer }> {
  const before = process.threadCpuUsage();
  const answer = await work();
  const { user, system } = process.threadCpuUsage(before);
  // What else the loop has to do comes in between, as in the service: the thread that copies the log back waits for an answer.
  await new Promise(setImmediate);
  return { answer, cpuMs: (user + system) / 1000, systemMs: system / 1000 };
}

/**
 * Removes results, and deliveries with their attempts, from before `before` (epoch ms): half of the oldest day, so that
 * the service has the other half to remove while it is asked.
 *
 * @returns the loop's time of the longest slice, ms
 */
async function removeTo(engine: HistoryEngine, before: number, now: number): Promise<number> {
  const store = await engine.openStore(() => now);
  const resultsBefore = await store.rollUps.release(before);
  let longestMs = 0;
  let removed = 0;
  for (let isThrough = false; !isThrough;) {
    const slice = await loopTime(() => store.retention.sweep(before, now, resultsBefore));
    longestMs = Math.max(longestMs, slice.cpuMs);
    removed += slice.answer.removed;
    isThrough = slice.answer.isThrough;
  }
  await store.close();
  if (engine.isInLoop && removed === 0) throw new Error('nothing was removed: no slice was measured');
  return longestMs;
}

/** Where statements run in the loop itself, no turn and no slice may hold it for longer. */
function heldLoop({ name, isInLoop }: HistoryEngine, turnMs: number, sliceMs: number): Row[] {
  if (!isInLoop) return [];
  return [
    { figure: `${name}: longest turn of roll-ups`, value: turnMs, unit: 'ms', atMost: 20 },
    { figure: `${name}: longest slice of retention`, value: sliceMs, unit: 'ms', atMost: 20 },
  ];
}

interface Question {
  readonly path: string;
  /** JSON; a question with one is a POST. */
  readonly body?: string;
}

type Questions = Readonly<Record<string, () => Question>>;

function questionsOf(plans: readonly CheckPlan[]): Questions {
  const any = (): string => plans[Math.floor(Math.random() * plans.length)]?.check.id ?? '';
  const anyResult = (): string => {
    const plan = plans[Math.floor(Math.random() * plans.length)];
    if (plan === undefined) return '';
    const at = plan.from + Math.floor((0.5 + 0.5 * Math.random()) * plan.count) * plan.intervalMs;
    const time = at.toString(16).padStart(12, '0');
    return `/v1/check-results/${plan.check.id}/${time.slice(0, 8)}-${time.slice(8)}${plan.check.id.slice(13)}`;
  };
  // A page of an overview, of checks that run each minute: as many as may be asked for at once.
  const page = JSON.stringify({ checkIds: plans.slice(0, 100).map(({ check }) => check.id) });
  return {
    'last 50 results': () => ({ path: `/v1/check-results/${any()}?limit=50` }),
    'last 50 results, by cursor': () => ({ path: `/v2/check-results/${any()}?limit=50` }),
    'chart of 24 h': () => ({
      path: `/v1/analytics/api-checks/${any()}?quickRange=last24Hours&aggregationInterval=60`,
    }),
    'availability of 30 days': () => ({
      path: `/v1/analytics/api-checks/${any()}?quickRange=last30Days&metrics=availability`,
    }),
    'overview, 100 checks, 24 h': () => ({ path: '/v1/analytics/checks?quickRange=last24Hours', body: page }),
    'overview, 100 checks, 30 days': () => ({ path: '/v1/analytics/checks?quickRange=last30Days', body: page }),
    'statuses of 10,000 checks': () => ({ path: '/v1/check-statuses' }),
    'one result by id': () => ({ path: anyResult() }),
  };
}

/** The report on every check, which is megabytes of figures that nobody waits for at a screen: told, without a bar. */
const reports: Questions = {
  'report on 10,000 checks, 24 h': () => ({ path: '/v1/reporting?quickRange=last24Hrs' }),
  'report on 10,000 checks, 30 days': () => ({ path: '/v1/reporting?quickRange=last30Days' }),
};

const agent = new Agent({ keepAlive: true });

/**
 * Asks once; ms from the question to the last byte of the answer. What the asker makes of the bytes is his own time, so they are
 * counted and let go: to put megabytes together or to parse them takes as long as to read them.
 */
function timed({ address }: Service, { path, body }: Question): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const startedAt = performance.now();
  const headers = { authorization: `Bearer ${bootstrapKey}`, 'content-type': 'application/json' };
  const asked = request(`${address}${path}`, { agent, method: body === undefined ? 'GET' : 'POST', headers });
  asked.on('error', reject);
  asked.on('response', (answer) => {
    let bytes = 0;
    let begin = '';
    answer.on('error', reject);
    answer.on('data', (piece: Buffer) => {
      if (bytes === 0) begin = piece.subarray(0, 300).toString();
      bytes += piece.length;
    });
    answer.on('end', () => {
      if (answer.statusCode === 200 && bytes > 0) resolve(performance.now() - startedAt);
      else reject(new Error(`${path} answered ${answer.statusCode}: ${begin}`));
    });
  });
  asked.end(body);
  return promise;
}

/** How often a question is asked before it counts: code becomes fast only after some calls. */
const warmUps = 10;

async function ask(service: Service, question: () => Question, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let asked = 0; asked < count; asked++) times.push(await timed(service, question()));
  return times;
}

/** How long roll-ups and retention go on before it is asked how far they are: metrics of 10,000 checks are work, too. */
const lookMs = 2000;
/** How long they may take, ms. */
const upkeepMostMs = 10 * 60_000;

/** Asks one question after the other until roll-ups and retention have nothing left to do. @param isThrough whether they are */
async function askWhileUpkeep(service: Service, questions: Questions, isThrough: () => Promise<boolean>) {
  // The statuses of the whole account are one question among many, as people look at them. An overview would read all
  // results of the day that waits, of a hundred checks: in service an hour waits at most.
  const paths = Object.entries(questions).flatMap(([name, question]) => {
    if (name.startsWith('overview')) return [];
    return name.startsWith('statuses') ? [question] : Array.from({ length: 5 }, () => question);
  });
  for (const question of paths) await ask(service, question, warmUps);
  const startedAt = performance.now();
  const times: number[] = [];
  let lookedAt = startedAt;
  for (let round = 0; ; round++) {
    for (const question of paths) {
      times.push(await timed(service, question()));
      await pause(5);
    }
    if (performance.now() - lookedAt > lookMs) {
      if (await isThrough()) break;
      lookedAt = performance.now();
    }
    if (performance.now() - startedAt > upkeepMostMs)
      throw new Error(`upkeep does not end: ${service.output().slice(-2000)}`);
  }
  return { times, tookMs: performance.now() - startedAt };
}

/** Results of the first and the last of these checks that are older than `before`, epoch ms. */
async function old(engine: HistoryEngine, plans: readonly CheckPlan[], before: number): Promise<number> {
  const asked = [plans.at(0), plans.at(-1)].filter((plan) => plan !== undefined);
  const counts = await Promise.all(asked.map((plan) => engine.resultsBefore(plan, before)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function isRolledUp(service: Service): Promise<boolean> {
  const { body } = await service.call('GET', '/metrics');
  const gauge = /^tocsin_roll_up_delay_seconds ([\d.]+)$/m.exec(String(body))?.[1];
  return Number(gauge) < 2 * 3600;
}
