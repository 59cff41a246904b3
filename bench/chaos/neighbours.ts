// A noisy account must not affect another one: its checks run in time, its alerts arrive, and memory stays bounded.
import type { Alert } from '../peers/victim.ts';
import { startPeer } from '../support/peer.ts';
import { create, pause, type Service, startService } from '../support/service.ts';
import { startPostgres } from '../../tests/support/postgres/postgres.ts';
import { benchSettings } from '../support/database.ts';
import { createRandom } from './random.ts';
import type { ChaosOptions, Verdict } from './verdict.ts';
import { type Disturbance, disturbances, type NoisyAccount, endDisturbance } from './disturbances.ts';
import { openRecordedFile, openRecordedPostgres, type RecordedResult } from './recorded.ts';
import type { ApiClient } from './writer.ts';
import { request } from 'node:http';

const healthyChecks = 10;
/** From the target's first failing response to the alert at its receiver, ms. */
const maxAlertMs = 2000;
/** Growth of the process's resident memory during a case, MB. */
const maxGrowthMb = 300;
/** A healthy target responds at once, so a longer response time is due to another account, ms. */
const degradedAboveMs = 500;
const pingEveryMs = 2000;
/** The slowest response of the API, the UI and pings in cases that promise it, ms. */
const maxAnswerMs = 1000;

/** Each 10 s check of the victim runs during a disturbance: its length in seconds is at least 20. */
export async function chaosOfNeighbours(options: ChaosOptions): Promise<Verdict[]> {
  const { dataDir, length: seconds, seed, only, say } = options;
  const random = createRandom(seed);
  const cases = disturbances.filter(({ name }) => only === null || name.toLowerCase().includes(only.toLowerCase()));
  if (cases.length === 0) throw new Error(`no disturbance matches "${only}"`);
  const [victimPeer, noisyPeer] = [startPeer('victim'), startPeer('noisy-neighbour')];
  const victimAddress = await victimPeer.ask<string>('listen');
  const targets = await noisyPeer.ask<NoisyAccount['targets']>('listen');
  const server = options.engine === 'postgres' ? await startPostgres(null, undefined, benchSettings) : null;
  const url = (await server?.newDatabase())?.url;
  // Limits would only weaken the disturbances.
  const environment = {
    TOCSIN_ACCOUNT_LIMITS: 'off',
    TOCSIN_PING_LIMIT: '1000',
    ...(url !== undefined && { DATABASE_URL: url }),
  };
  const service = await startService({ dataDir, environment });
  const victim = await account(service, 'victim');
  const { healthyIds, pingUrl } = await install(victim, victimAddress, cases);
  const pings = setInterval(() => void fetch(pingUrl, { method: 'POST' }).catch(() => null), pingEveryMs);
  const witness = startWitness(service.address, victim.headers, pingUrl);
  await pause(12_000);
  const memory = watchMemory(service);
  say(`${healthyChecks} healthy checks of one account, ${memory.firstMb.toFixed(0)} MB; ${cases.length} cases`);
  const unprepared: string[] = [];
  const startedAt: number[] = [];
  const grown: { readonly name: string; readonly grownMb: number }[] = [];
  const unanswered: string[] = [];
  let answers = 0;
  for (const [index, disturbance] of cases.entries()) {
    startedAt.push(Date.now());
    memory.begin();
    witness.begin();
    const client = await account(service, `noisy ${index}`);
    const noisy: NoisyAccount = { ...client, targets, servicePort: Number(new URL(service.address).port) };
    await disturb(disturbance, noisy, seconds, async () => {
      await pause(random() * 2000);
      await victimPeer.ask('break', victimOf(index));
    }).catch((error: unknown) => unprepared.push(`${disturbance.name}: ${String(error)}`));
    const grownMb = memory.grownMb();
    grown.push({ name: disturbance.name, grownMb });
    const { calls, slowestMs, failed } = witness.seen();
    if (disturbance.isAnswered === true) {
      answers += calls;
      unanswered.push(...failed.map((one) => `${disturbance.name}: ${one}`));
      if (slowestMs > maxAnswerMs) unanswered.push(`${disturbance.name}: after ${slowestMs} ms`);
    }
    const peak = `${memory.nowMb().toFixed(0)} MB, grew by at most ${grownMb.toFixed(0)} MB`;
    say(`${disturbance.name}: done, ${peak}; ${calls} calls of others, the slowest ${slowestMs} ms`);
  }
  await pause(3000);
  clearInterval(pings);
  witness.stop();
  const failedAt = await victimPeer.ask<Record<string, number>>('failedAt');
  const alerts = await victimPeer.ask<Alert[]>('alerts');
  const recorded = url === undefined ? openRecordedFile(dataDir) : openRecordedPostgres(url, () => new Map());
  const results = recorded.results().filter(({ checkId }) => healthyIds.has(checkId));
  recorded[Symbol.dispose]();
  const totalMb = memory.nowMb() - memory.firstMb;
  memory.stop();
  await service.stop();
  await Promise.all([victimPeer.stop(), noisyPeer.stop(), server?.stop()]);
  return [
    { guarantee: 'every case is prepared', checked: cases.length, violations: unprepared },
    {
      guarantee: 'healthy checks of the other account pass in every slot',
      checked: results.length,
      violations: disturbedBy(
        cases,
        startedAt,
        results.filter(({ outcome }) => outcome !== 'passed'),
      ),
    },
    judgeAlerts(cases, failedAt, alerts),
    {
      guarantee: 'no alert is invented',
      checked: alerts.length,
      violations: alerts
        .filter(({ checkName }) => !cases.some((_, index) => victimOf(index) === checkName))
        .map(({ checkName, alertType }) => `${alertType} of ${checkName}`),
    },
    {
      guarantee: `the API, the UI and pings of the other account are answered within ${maxAnswerMs} ms`,
      checked: answers,
      violations: unanswered,
    },
    {
      guarantee: `memory grows by at most ${maxGrowthMb} MB in each case (${totalMb.toFixed(0)} MB in total)`,
      checked: cases.length,
      violations: grown
        .filter(({ grownMb }) => grownMb > maxGrowthMb)
        .map(({ name, grownMb }) => `${name}: ${grownMb.toFixed(0)} MB`),
    },
  ];
}

function victimOf(index: number): string {
  return `victim-${index}`;
}

/** Outcomes other than `passed`, counted by the case of their slot. */
function disturbedBy(
  cases: readonly Disturbance[],
  startedAt: readonly number[],
  results: readonly RecordedResult[],
): string[] {
  const caseOf = ({ at }: RecordedResult): string =>
    cases[startedAt.findLastIndex((from) => from <= at)]?.name ?? 'before the first case';
  const counts = new Map<string, number>();
  for (const result of results) {
    const line = `${caseOf(result)}: ${result.outcome}`;
    counts.set(line, (counts.get(line) ?? 0) + result.slots);
  }
  return [...counts].map(([line, slots]) => `${line} in ${slots} slots`);
}

function judgeAlerts(
  cases: readonly Disturbance[],
  failedAt: Readonly<Record<string, number>>,
  alerts: readonly Alert[],
): Verdict {
  const delays = cases.map(({ name }, index) => {
    const victim = victimOf(index);
    const alert = alerts.find(({ checkName, alertType }) => checkName === victim && alertType === 'ALERT_FAILURE');
    const from = failedAt[victim];
    return { name, ms: alert === undefined || from === undefined ? Number.POSITIVE_INFINITY : alert.at - from };
  });
  return {
    guarantee: `alerts of the other account arrive within 2 s (${Math.max(...delays.map(({ ms }) => ms))} ms at most)`,
    checked: cases.length,
    violations: delays.filter(({ ms }) => ms > maxAlertMs).map(({ name, ms }) => `${name}: after ${ms} ms`),
  };
}

/** Creates an account with a key that only has access to it. */
async function account(service: Service, name: string): Promise<ApiClient & Pick<NoisyAccount, 'headers'>> {
  const { id } = await create(service, '/v1/accounts', { name });
  const { key } = await create(service, '/v1/api-keys', { name, role: 'admin', accountIds: [id] });
  const headers = { authorization: `Bearer ${String(key)}` };
  return {
    headers,
    call: (method, path, body, more = {}) => service.call(method, path, body, { ...headers, ...more }),
  };
}

async function install(victim: ApiClient, address: string, cases: readonly Disturbance[]) {
  await create(victim, '/v1/alert-channels', {
    type: 'WEBHOOK',
    autoSubscribe: true,
    sendDegraded: true,
    config: { name: 'victim', url: `${address}/alerts` },
  });
  const check = (name: string) =>
    create(victim, '/v1/checks/api', {
      name,
      frequency: 0,
      frequencyOffset: 10,
      retryStrategy: null,
      degradedResponseTime: degradedAboveMs,
      request: { method: 'GET', url: `${address}/${name}` },
    });
  const healthyIds = new Set<string>();
  for (let index = 0; index < healthyChecks; index++) healthyIds.add(String((await check(`healthy-${index}`))['id']));
  for (const index of cases.keys()) await check(victimOf(index));
  const job = await create(victim, '/v1/checks/heartbeat', {
    name: 'job',
    heartbeat: { period: 30, periodUnit: 'seconds', grace: 5, graceUnit: 'seconds' },
  });
  return { healthyIds, pingUrl: (job['heartbeat'] as { pingUrl: string }).pingUrl };
}

/** @param breakTarget makes the victim's target fail once the disturbance has begun */
async function disturb(
  { begin, again }: Disturbance,
  noisy: NoisyAccount,
  seconds: number,
  breakTarget: () => Promise<void>,
): Promise<void> {
  await begin(noisy);
  const until = performance.now() + seconds * 1000;
  const repeating = (async () => {
    while (performance.now() < until) await (again?.(noisy) ?? pause(100));
  })();
  await breakTarget();
  await repeating;
  await endDisturbance(noisy);
}

/** Maximum resident memory since the last `begin`, and before it, MB. */
function watchMemory(service: Service) {
  const firstMb = service.residentMb();
  let [beginMb, peakMb] = [firstMb, firstMb];
  const timer = setInterval(() => (peakMb = Math.max(peakMb, service.residentMb())), 100);
  return {
    firstMb,
    begin(): void {
      beginMb = peakMb = service.residentMb();
    },
    grownMb: () => peakMb - beginMb,
    nowMb: () => service.residentMb(),
    stop: () => clearInterval(timer),
  };
}

/** What was seen since the last `begin`. */
interface Seen {
  readonly calls: number;
  /** The slowest response, ms. */
  readonly slowestMs: number;
  /** Responses other than 200, by what was called. */
  readonly failed: readonly string[];
}

/** Calls that continue until stopped. */
interface Witness {
  begin(): void;
  seen(): Seen;
  stop(): void;
}

const everyMs = 250;
const timeoutMs = 10_000;

/** @param headers of the account's key */
function startWitness(address: string, headers: Readonly<Record<string, string>>, pingUrl: string): Witness {
  const targets = [
    ['API', `${address}/v1/checks?limit=1`, headers],
    ['UI', `${address}/sign-in`, { accept: 'text/html' }],
    ['ping', pingUrl, {}],
  ] as const;
  let [calls, slowestMs, failed] = [0, 0, [] as string[]];
  const callOne = async ([name, url, sent]: (typeof targets)[number]): Promise<void> => {
    const startedAt = performance.now();
    const status = await statusOf(url, sent);
    calls++;
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    if (status !== 200) failed.push(`${name}: ${status}`);
  };
  const timer = setInterval(() => void Promise.all(targets.map(callOne)), everyMs);
  return {
    begin: () => void ([calls, slowestMs, failed] = [0, 0, []]),
    seen: () => ({ calls, slowestMs: Math.round(slowestMs), failed }),
    stop: () => clearInterval(timer),
  };
}

/** 0 = no response. */
function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve) => {
    request(url, { headers, agent: false, timeout: timeoutMs })
      .on('response', (response) => {
        response.resume().once('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
      })
      .on('timeout', function (this: { destroy(): void }) {
        this.destroy();
      })
      .on('error', () => resolve(0))
      .end();
  });
}
