// What is asked of a month of results: the questions of a page, overviews, reports, each timed to the last byte of its answer.
import { Agent, request } from 'node:http';
import type { CheckPlan } from './history-plan.ts';
import { bootstrapKey } from './seed.ts';
import { pause, type Service } from './service.ts';

/** One request. */
export interface Question {
  readonly path: string;
  /** JSON; a question with one is a POST. */
  readonly body?: string;
}

export type Questions = Readonly<Record<string, () => Question>>;

/** Checks of an overview at most. */
const pageSize = 100;

/** Questions about checks that run each minute, by their names in figures. */
export function questionsOf(plans: readonly CheckPlan[]): Questions {
  const any = (): string => plans[Math.floor(Math.random() * plans.length)]?.check.id ?? '';
  const anyResult = (): string => {
    const plan = plans[Math.floor(Math.random() * plans.length)];
    if (plan === undefined) return '';
    const at = plan.from + Math.floor((0.5 + 0.5 * Math.random()) * plan.count) * plan.intervalMs;
    const time = at.toString(16).padStart(12, '0');
    return `/v1/check-results/${plan.check.id}/${time.slice(0, 8)}-${time.slice(8)}${plan.check.id.slice(13)}`;
  };
  // A page of an overview, of checks that run each minute: as many as may be asked for at once, now these and now those.
  const page = (): string => {
    const first = Math.floor(Math.random() * (Math.max(0, plans.length - pageSize) + 1));
    return JSON.stringify({ checkIds: plans.slice(first, first + pageSize).map(({ check }) => check.id) });
  };
  return {
    'last 50 results': () => ({ path: `/v1/check-results/${any()}?limit=50` }),
    'last 50 results, by cursor': () => ({ path: `/v2/check-results/${any()}?limit=50` }),
    'chart of 24 h': () => ({
      path: `/v1/analytics/api-checks/${any()}?quickRange=last24Hours&aggregationInterval=60`,
    }),
    'availability of 30 days': () => ({
      path: `/v1/analytics/api-checks/${any()}?quickRange=last30Days&metrics=availability`,
    }),
    'overview, 100 checks, 24 h': () => ({ path: '/v1/analytics/checks?quickRange=last24Hours', body: page() }),
    'overview, 100 checks, 30 days': () => ({ path: '/v1/analytics/checks?quickRange=last30Days', body: page() }),
    'statuses of 10,000 checks': () => ({ path: '/v1/check-statuses' }),
    'one result by id': () => ({ path: anyResult() }),
  };
}

/** The report on every check, which is megabytes of figures that nobody waits for at a screen: told, without a bar. */
export const reports: Questions = {
  'report on 10,000 checks, 24 h': () => ({ path: '/v1/reporting?quickRange=last24Hrs' }),
  'report on 10,000 checks, 30 days': () => ({ path: '/v1/reporting?quickRange=last30Days' }),
};

/** Those that read only what is rolled up already, but for an hour or two: not the last 24 hours of a hundred checks. */
export function withoutOverviews(questions: Questions): Questions {
  return Object.fromEntries(Object.entries(questions).filter(([name]) => !name.startsWith('overview')));
}

/** As people ask: those of one check five times as often as those of many. */
export function inProportion(questions: Questions): (() => Question)[] {
  return Object.entries(questions).flatMap(([name, question]) =>
    /^(?:overview|statuses)/.test(name) ? [question] : Array.from({ length: 5 }, () => question),
  );
}

const agent = new Agent({ keepAlive: true });

/** Lets connections go that are kept for the next question. */
export function stopAsking(): void {
  agent.destroy();
}

/** How often a question is asked before it counts: code becomes fast only after some calls. */
const warmUps = 10;

/** Asks until it has become as fast as it gets, without looking at the clock. */
export async function warmUp(service: Service, questions: readonly (() => Question)[]): Promise<void> {
  for (const question of questions) await ask(service, question, warmUps);
}

/** Asks one after the other; ms of each. */
export async function ask(service: Service, question: () => Question, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let asked = 0; asked < count; asked++) times.push(await timed(service, question()));
  return times;
}

/** How long something goes on before it is asked how far it is, ms: to look is work, too. */
const pollMs = 1000;
const maxUpkeepMs = 10 * 60_000;
/** However soon it is through: of fewer answers there is no percentile. */
const answersLeast = 200;

/** Asks one question after the other until the work beside it has nothing left to do. @param isThrough whether it has */
export async function askWhile(
  service: Service,
  questions: Questions,
  isThrough: () => Promise<boolean>,
): Promise<{ readonly times: readonly number[]; readonly tookMs: number }> {
  const startedAt = performance.now();
  const times: number[] = [];
  let inspectedAt = startedAt;
  for (;;) {
    for (const question of inProportion(questions)) {
      times.push(await timed(service, question()));
      await pause(5);
    }
    if (performance.now() - inspectedAt > pollMs && times.length >= answersLeast) {
      if (await isThrough()) break;
      inspectedAt = performance.now();
    }
    if (performance.now() - startedAt > maxUpkeepMs)
      throw new Error(`upkeep does not end: ${service.output().slice(-2000)}`);
  }
  return { times, tookMs: performance.now() - startedAt };
}

/** One who reads reports one after the other until he is told to stop; answers with how many he has read. */
export function readReports(service: Service): { stop(): Promise<number> } {
  const over = new AbortController();
  const reading = (async () => {
    let read = 0;
    while (!over.signal.aborted) {
      for (const report of Object.values(reports)) {
        if (over.signal.aborted) break;
        await timed(service, report());
        read++;
      }
    }
    return read;
  })();
  // Whoever stops him is told of a report that failed.
  reading.catch(() => undefined);
  return {
    stop() {
      over.abort();
      return reading;
    },
  };
}

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
