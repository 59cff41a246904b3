// Queries for a month of results: those of pages, overviews and reports, each timed to the last byte of the response.
import { Agent, request } from 'node:http';
import type { CheckPlan } from './history-plan.ts';
import { bootstrapKey } from './seed.ts';
import { pause, type Service } from './service.ts';

/** A request. */
export interface Question {
  readonly path: string;
  /** JSON. If present, the request is a POST. */
  readonly body?: string;
}

export type Questions = Readonly<Record<string, () => Question>>;

/** Maximum number of checks in an overview. */
const pageSize = 100;

/** Queries for checks that run every minute, by name in the figures. */
export function questionsOf(plans: readonly CheckPlan[]): Questions {
  const any = (): string => plans[Math.floor(Math.random() * plans.length)]?.check.id ?? '';
  const anyResult = (): string => {
    const plan = plans[Math.floor(Math.random() * plans.length)];
    if (plan === undefined) return '';
    const at = plan.from + Math.floor((0.5 + 0.5 * Math.random()) * plan.count) * plan.intervalMs;
    const time = at.toString(16).padStart(12, '0');
    return `/v1/check-results/${plan.check.id}/${time.slice(0, 8)}-${time.slice(8)}${plan.check.id.slice(13)}`;
  };
  // An overview page of checks that run every minute: the maximum number, in rotation.
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

/** Reports about all checks: megabytes of data, so they are shown without a required value. */
export const reports: Questions = {
  'report on 10,000 checks, 24 h': () => ({ path: '/v1/reporting?quickRange=last24Hrs' }),
  'report on 10,000 checks, 30 days': () => ({ path: '/v1/reporting?quickRange=last30Days' }),
};

/** Queries that read only roll-ups except for one or two hours, so not the last 24 hours of a hundred checks. */
export function withoutOverviews(questions: Questions): Questions {
  return Object.fromEntries(Object.entries(questions).filter(([name]) => !name.startsWith('overview')));
}

/** A realistic mix: queries for one check are five times as frequent as those for many. */
export function inProportion(questions: Questions): (() => Question)[] {
  return Object.entries(questions).flatMap(([name, question]) =>
    /^(?:overview|statuses)/.test(name) ? [question] : Array.from({ length: 5 }, () => question),
  );
}

const agent = new Agent({ keepAlive: true });

/** Closes idle connections. */
export function stopAsking(): void {
  agent.destroy();
}

/** Number of warm-up queries, because code is compiled only after some calls. */
const warmUps = 10;

/** Warms up without measuring. */
export async function warmUp(service: Service, questions: readonly (() => Question)[]): Promise<void> {
  for (const question of questions) await ask(service, question, warmUps);
}

/** Runs queries sequentially; returns the time of each, ms. */
export async function ask(service: Service, question: () => Question, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let asked = 0; asked < count; asked++) times.push(await timed(service, question()));
  return times;
}

/** Interval for checking progress, ms; checking takes time, too. */
const pollMs = 1000;
const maxUpkeepMs = 10 * 60_000;
/** Minimum number of responses for a percentile, however soon the work ends. */
const answersLeast = 200;

/** Runs queries sequentially until the concurrent work is done. @param isThrough whether it is */
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
      throw new Error(`upkeep does not finish: ${service.output().slice(-2000)}`);
  }
  return { times, tookMs: performance.now() - startedAt };
}

/** A client that reads reports sequentially until stopped; returns how many it has read. */
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
  // Stopping it reports a failed request.
  reading.catch(() => undefined);
  return {
    stop() {
      over.abort();
      return reading;
    },
  };
}

/**
 * Sends a query; returns the time from the request to the last byte of the response, ms. The bytes are only counted, because
 * joining or parsing megabytes would take as long as reading them.
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
