// One account disturbs, another must not notice: its checks run in time, its alerts arrive, memory stays bounded.
import { type Alert } from '../peers/quiet-neighbour.ts';
import { startPeer } from '../support/peer.ts';
import { pause, type Service, startService } from '../support/service.ts';
import { startPostgres } from '../../tests/support/postgres/postgres.ts';
import { benchSettings } from '../support/database.ts';
import type { Engine } from './deliver-fixture.ts';
import { createDice } from './dice.ts';
import type { Verdict } from './verdict.ts';
import { type Disturbance, disturbances, type Loud, quieten } from './loud.ts';
import { openRecordedFile, openRecordedPostgres, type RecordedResult } from './recorded.ts';
import type { Door } from './writer.ts';

/** How long each disturbance lasts, and which. */
export interface NeighboursOptions {
  readonly dataDir: string;
  /** Seconds of each case once it is prepared; at least 20, so that the 10 s check of each victim runs in it. */
  readonly seconds: number;
  readonly seed: number;
  /** Only cases whose name contains this; null = all. */
  readonly only: string | null;
  readonly engine: Engine;
  readonly say: (what: string) => void;
}

const healthyChecks = 10;
/** From the target's first failing answer to the alert at its receiver, ms. */
const maxAlertMs = 2000;
/** Growth of the process's resident memory within one case, MB. */
const maxGrowthMb = 300;
/** A healthy target answers at once: a response time above this contains time of somebody else, ms. */
const degradedAboveMs = 500;
const pingEveryMs = 2000;

export async function chaosOfNeighbours(options: NeighboursOptions): Promise<Verdict[]> {
  const { dataDir, seconds, seed, only, say } = options;
  const dice = createDice(seed);
  const cases = disturbances.filter(({ name }) => only === null || name.toLowerCase().includes(only.toLowerCase()));
  if (cases.length === 0) throw new Error(`no disturbance is called like ${only}`);
  const [quietPeer, loudPeer] = [startPeer('quiet-neighbour'), startPeer('loud-neighbour')];
  const quietAddress = await quietPeer.ask<string>('listen');
  const targets = await loudPeer.ask<Loud['targets']>('listen');
  const server = options.engine === 'postgres' ? await startPostgres(null, undefined, benchSettings) : null;
  const url = (await server?.newDatabase())?.url;
  // Limits would only make the disturbances smaller.
  const environment = { TOCSIN_ACCOUNT_LIMITS: 'off', ...(url !== undefined && { DATABASE_URL: url }) };
  const service = await startService({ dataDir, environment });
  const quiet = await account(service, 'quiet');
  const { healthyIds, pingUrl } = await install(quiet, quietAddress, cases);
  const pings = setInterval(() => void fetch(pingUrl, { method: 'POST' }).catch(() => null), pingEveryMs);
  await pause(12_000);
  const memory = watchMemory(service);
  say(`${healthyChecks} healthy checks of one account, ${memory.firstMb.toFixed(0)} MB; ${cases.length} cases`);
  const unprepared: string[] = [];
  const startedAt: number[] = [];
  const grown: { readonly name: string; readonly grownMb: number }[] = [];
  for (const [index, disturbance] of cases.entries()) {
    startedAt.push(Date.now());
    memory.begin();
    const door = await account(service, `loud ${index}`);
    const loud: Loud = { ...door, targets, servicePort: Number(new URL(service.address).port) };
    await disturb(disturbance, loud, seconds, async () => {
      await pause(dice() * 2000);
      await quietPeer.ask('break', victimOf(index));
    }).catch((error: unknown) => unprepared.push(`${disturbance.name}: ${String(error)}`));
    const grownMb = memory.grownMb();
    grown.push({ name: disturbance.name, grownMb });
    say(`${disturbance.name}: over, ${memory.nowMb().toFixed(0)} MB, grown by ${grownMb.toFixed(0)} MB at most`);
  }
  await pause(3000);
  clearInterval(pings);
  const failedAt = await quietPeer.ask<Record<string, number>>('failedAt');
  const alerts = await quietPeer.ask<Alert[]>('alerts');
  const recorded = url === undefined ? openRecordedFile(dataDir) : openRecordedPostgres(url, () => new Map());
  const results = recorded.results().filter(({ checkId }) => healthyIds.has(checkId));
  recorded[Symbol.dispose]();
  const totalMb = memory.nowMb() - memory.firstMb;
  memory.stop();
  await service.stop();
  await Promise.all([quietPeer.stop(), loudPeer.stop(), server?.stop()]);
  return [
    { promise: 'every case could be prepared', tried: cases.length, breaches: unprepared },
    {
      promise: 'healthy checks of others pass in every slot',
      tried: results.length,
      breaches: disturbedBy(
        cases,
        startedAt,
        results.filter(({ outcome }) => outcome !== 'passed'),
      ),
    },
    judgeAlerts(cases, failedAt, alerts),
    {
      promise: 'no alert is invented',
      tried: alerts.length,
      breaches: alerts
        .filter(({ checkName }) => !cases.some((_, index) => victimOf(index) === checkName))
        .map(({ checkName, alertType }) => `${alertType} of ${checkName}`),
    },
    {
      promise: `memory grows by at most ${maxGrowthMb} MB in each case (${totalMb.toFixed(0)} MB in the end)`,
      tried: cases.length,
      breaches: grown
        .filter(({ grownMb }) => grownMb > maxGrowthMb)
        .map(({ name, grownMb }) => `${name}: ${grownMb.toFixed(0)} MB`),
    },
  ];
}

function victimOf(index: number): string {
  return `victim-${index}`;
}

/** Outcomes that are not `passed`, counted by the case in which their slot was. */
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
    promise: `alerts of others arrive within 2 s (${Math.max(...delays.map(({ ms }) => ms))} ms at most)`,
    tried: cases.length,
    breaches: delays.filter(({ ms }) => ms > maxAlertMs).map(({ name, ms }) => `${name}: after ${ms} ms`),
  };
}

/** An account of its own, with a key that reaches nothing else. */
async function account(service: Service, name: string): Promise<Door> {
  const { body } = await service.call('POST', '/v1/accounts', { name });
  const { id } = body as { id: string };
  const answer = await service.call('POST', '/v1/api-keys', { name, role: 'admin', accountIds: [id] });
  const { key } = answer.body as { key: string };
  const headers = { authorization: `Bearer ${key}` };
  return { call: (method, path, body, more = {}) => service.call(method, path, body, { ...headers, ...more }) };
}

async function install(quiet: Door, address: string, cases: readonly Disturbance[]) {
  const make = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const answer = await quiet.call('POST', path, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Record<string, unknown>;
  };
  await make('/v1/alert-channels', {
    type: 'WEBHOOK',
    autoSubscribe: true,
    sendDegraded: true,
    config: { name: 'quiet', url: `${address}/alerts` },
  });
  const check = (name: string) =>
    make('/v1/checks/api', {
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
  const job = await make('/v1/checks/heartbeat', {
    name: 'job',
    heartbeat: { period: 30, periodUnit: 'seconds', grace: 5, graceUnit: 'seconds' },
  });
  return { healthyIds, pingUrl: (job['heartbeat'] as { pingUrl: string }).pingUrl };
}

/** @param hurt lets the victim's target fail, once the disturbance has begun */
async function disturb(
  { begin, again }: Disturbance,
  loud: Loud,
  seconds: number,
  hurt: () => Promise<void>,
): Promise<void> {
  await begin(loud);
  const until = performance.now() + seconds * 1000;
  const repeating = (async () => {
    while (performance.now() < until) await (again?.(loud) ?? pause(100));
  })();
  await hurt();
  await repeating;
  await quieten(loud);
}

/** The most resident memory since the last `begin`, and before it, MB. */
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
