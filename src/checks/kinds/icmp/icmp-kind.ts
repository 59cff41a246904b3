// ICMP checks: ping a host and check packet loss and latency (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import type { ThreadInput } from '#domain/checks/probe.ts';
import type { Finding } from '#domain/results/result.ts';
import type { Assertion } from '../../parts/assertions/assertion.ts';
import { type Fault, resolveFault } from '../../parts/connection/fault.ts';
import { type Offload, workOn } from '../../parts/findings/answer-work.ts';
import { describeLight, judgeFault, lightFinding } from '../../parts/findings/light.ts';
import { failed, judgeAssertions, type Judged, outcomesOf } from '../../parts/findings/judge.ts';
import { assertionProblems } from '../../parts/assertions/validate.ts';
import { assertionWarnings } from '../../parts/assertions/warn.ts';
import {
  compileAll,
  createFilling,
  createPlannedProbe,
  filledHost,
  hostProblems,
} from '../../parts/findings/prepare.ts';
import type { CheckKind, ProbeDeps, SettingsProblem } from '../../kind.ts';
import type { Redactor } from '../../parts/redact.ts';
import { findPing, ping } from './ping.ts';
import { createSlots, type Slots } from './slots.ts';
import { usesIn, type VariableUse } from '../../parts/placeholders.ts';
import { family } from '../../parts/read.ts';
import { readerOf } from '../../schema.ts';
import { icmpSchema, type IcmpSettings, sources } from './schema.ts';

const read = readerOf(icmpSchema);

/** Maximum concurrent ping programs per thread. */
const atOnce = 16;
/** Maximum time a check waits for a free slot. */
const waitMs = 10_000;

interface IcmpPlan {
  readonly accountId: string;
  readonly settings: IcmpSettings;
  readonly shouldFail: boolean;
  readonly host: string;
  readonly assertions: readonly Assertion[];
  readonly redactor: Redactor;
}

function variableUses(settings: JsonObject): VariableUse[] {
  return usesIn(settings['request'], 'request');
}

export const icmpKind: CheckKind<typeof icmpSchema> = {
  schema: icmpSchema,
  createProbe: (deps) => {
    const slots = createSlots(atOnce);
    return createPlannedProbe(variableUses, makePlan, async (plan, startedAt, signal) =>
      findingOf(plan, startedAt, await sendPings(plan, deps, slots, signal), deps.offload),
    );
  },
  validateSettings,
  variableUses,
  warnSettings: (settings) =>
    assertionWarnings(read(settings).request.assertions, 'request.assertions', Number.POSITIVE_INFINITY),
  describeResult: describeLight,
  measures: { statusCode: false, phases: ['dns'] },
  alertFacts: ({ settings }) => ({
    url: read(settings).request.hostname,
    status: null,
    statusText: null,
  }),
};

function validateSettings(settings: JsonObject): SettingsProblem[] {
  const { request, degradedPacketLossThreshold: degraded, maxPacketLossThreshold: maxAtOnce } = read(settings);
  const message = `${degraded} exceeds maxPacketLossThreshold (${maxAtOnce})`;
  return [
    ...hostProblems(request.hostname, 'request.hostname'),
    ...assertionProblems(request.assertions, sources, 'request.assertions'),
    ...(degraded > maxAtOnce ? [{ path: 'degradedPacketLossThreshold', message }] : []),
  ];
}

function makePlan(input: ThreadInput): IcmpPlan | string {
  const settings = read(input.check.settings);
  const { request } = settings;
  const filling = createFilling(input);
  const { redactor } = filling;
  const named = filledHost(request.hostname, filling);
  if (typeof named === 'string') return redactor.text(named);
  const assertions = compileAll(request.assertions, sources, filling);
  if (typeof assertions === 'string') return redactor.text(assertions);
  const { accountId, shouldFail } = input.check;
  return { accountId, settings, shouldFail, host: named.host, assertions, redactor };
}

/** Outcome of the pings; times in ms. */
interface Seen {
  readonly tookMs: number;
  readonly dnsMs: number;
  readonly address: string | null;
  readonly fault: Fault | null;
  readonly sent: number;
  readonly replies: readonly { readonly number: number; readonly time: number }[];
}

async function sendPings(plan: IcmpPlan, deps: ProbeDeps, slots: Slots, signal: AbortSignal): Promise<Seen> {
  const startedAt = performance.now();
  const { guard } = deps;
  const seen = { dnsMs: 0, address: null, sent: 0, replies: [] };
  const failedBy = (fault: Fault): Seen => ({ ...seen, fault, tookMs: performance.now() - startedAt });
  if (guard.tunnel !== undefined && guard.tunnel !== null) {
    return failedBy(ours('pings cannot use the proxy set in TOCSIN_PROXY'));
  }
  let addresses: readonly string[];
  try {
    addresses = await guard.resolve(plan.host, family(plan.settings.request.ipFamily), null);
  } catch (error) {
    return failedBy(resolveFault(error, plan.host, performance.now() - startedAt));
  }
  const [address = ''] = addresses;
  const dnsMs = performance.now() - startedAt;
  const command = deps.pingCommand ?? findPing();
  const pinged = await slots.take(waitMs, () => ping(command, address, plan.settings.request.pingCount, signal));
  if (pinged === null) return failedBy(ours(`this machine was busy with other pings for ${waitMs / 1000} s`));
  if (pinged.ownFault !== null) return failedBy(ours(pinged.ownFault));
  const replies = [...pinged.roundTrips].map(([number, time]) => ({ number, time }));
  return { tookMs: performance.now() - startedAt, dnsMs, address, fault: null, sent: pinged.sent, replies };
}

function ours(message: string): Fault {
  return { reason: 'observer-network', message };
}

async function findingOf(
  plan: IcmpPlan,
  startedAt: number,
  seen: Seen,
  offload: Offload | undefined,
): Promise<Finding> {
  const { redactor, assertions, settings, host } = plan;
  const answer = seen.fault === null ? figuresOf(seen) : null;
  const values = { LATENCY: { ...answer?.latency }, JSON_RESPONSE: answer && shownOf(answer) };
  const work = { accountId: plan.accountId, assertions, values, body: null, redactor };
  const { outcomes } = answer === null ? { outcomes: [] } : await workOn(work, offload);
  return lightFinding(
    {
      startedAt,
      tookMs: seen.tookMs,
      responseTimeMs: answer?.latency?.['avg'] ?? null,
      address: seen.address,
      phases: { dns: seen.dnsMs },
      assertions: outcomesOf(assertions, outcomes, redactor.text),
      short: answer && shownOf(answer),
      request: { hostname: host, pingCount: settings.request.pingCount },
      response: answer && { ...shownOf(answer), replies: seen.replies.map((reply) => ({ ...reply })) },
    },
    judge(plan, seen, answer, judgeAssertions(assertions, outcomes)),
    redactor,
  );
}

interface Figures {
  readonly sent: number;
  readonly received: number;
  /** Percent. */
  readonly packetLoss: number;
  /** In ms; null if there were no replies. */
  readonly latency: Readonly<Record<string, number>> | null;
}

function shownOf({ latency, ...counts }: Figures): JsonObject {
  return { ...counts, latency: latency && { ...latency } };
}

function figuresOf({ sent, replies }: Seen): Figures {
  const received = replies.length;
  const packetLoss = rounded(((sent - received) / sent) * 100);
  if (received === 0) return { sent, received, packetLoss, latency: null };
  const times = replies.map(({ time }) => time);
  const avg = times.reduce((sum, time) => sum + time, 0) / received;
  const variance = times.reduce((sum, time) => sum + (time - avg) ** 2, 0) / received;
  const [min, max] = [Math.min(...times), Math.max(...times)];
  const latency = { min, avg: rounded(avg), max, stdDev: rounded(Math.sqrt(variance)) };
  return { sent, received, packetLoss, latency };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Judges packet loss before assertions, because latency means little if many replies are missing. */
function judge(
  { settings, shouldFail, host }: IcmpPlan,
  seen: Seen,
  answer: Figures | null,
  broken: Judged | null,
): Judged {
  if (seen.fault !== null || answer === null) return judgeFault(seen.fault ?? ours('no ping was sent'));
  const { sent, received, packetLoss } = answer;
  const { degradedPacketLossThreshold: degraded, maxPacketLossThreshold: maxAtOnce } = settings;
  const passed: Judged = { verdict: 'passed', reason: null, message: null };
  const place = seen.address === null || seen.address === host ? host : `${host} (${seen.address})`;
  if (received === 0) return shouldFail ? passed : failed('timeout', `${place} answered none of ${sent} pings`);
  const lost = (limit: number): string =>
    `expected packet loss below ${limit}%, got ${packetLoss}%: ${place} answered ${received} of ${sent} pings`;
  if (packetLoss >= maxAtOnce) return failed('timeout', lost(maxAtOnce));
  if (broken !== null) return broken;
  if (packetLoss < degraded) return passed;
  return { verdict: 'degraded', reason: 'timeout', message: lost(degraded) };
}
