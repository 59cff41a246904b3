// ICMP checks: ping a host and check packet loss and latency (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import { createSharedLanes, type SharedLanes } from '#lib/shared-lanes.ts';
import { type Fault, resolveFault } from '../../parts/connection/fault.ts';
import { judgeFault } from '../../parts/findings/light.ts';
import { createLightKind, type LightPlan, type LightSeen } from '../../parts/findings/light-kind.ts';
import { failed, type Judged } from '../../parts/findings/judge.ts';
import { filledHost, hostProblems } from '../../parts/findings/prepare.ts';
import { assertionProblems } from '../../parts/assertions/validate.ts';
import type { ProbeDeps } from '../../kind.ts';
import { findPing, ping } from './ping.ts';
import { family } from '../../parts/read.ts';
import { icmpSchema, sources } from './schema.ts';

/** Maximum concurrent ping programs per thread. */
const atOnce = 16;
/** Maximum time a check waits for a free slot. */
const waitMs = 10_000;

interface IcmpTarget {
  readonly host: string;
}

type IcmpPlan = LightPlan<typeof icmpSchema> & IcmpTarget;

export const icmpKind = createLightKind<typeof icmpSchema, IcmpTarget>({
  schema: icmpSchema,
  part: 'request',
  sources,
  assertionsOf: ({ request }) => request.assertions,
  phases: ['dns'],
  urlOf: ({ request }) => request.hostname,
  problemsOf: ({ request, degradedPacketLossThreshold: degraded, maxPacketLossThreshold: maxAtOnce }) => {
    const message = `${degraded} exceeds maxPacketLossThreshold (${maxAtOnce})`;
    return [
      ...hostProblems(request.hostname, 'request.hostname'),
      ...assertionProblems(request.assertions, sources, 'request.assertions'),
      ...(degraded > maxAtOnce ? [{ path: 'degradedPacketLossThreshold', message }] : []),
    ];
  },
  targetOf: ({ request }, filling) => filledHost(request.hostname, filling),
  createInspect: (deps) => {
    const lanes = createSharedLanes(atOnce, atOnce);
    return async (plan, _startedAt, signal) => seenIn(plan, await sendPings(plan, deps, lanes, signal));
  },
});

/** Outcome of the pings; times in ms. */
interface Seen {
  readonly tookMs: number;
  readonly dnsMs: number;
  readonly address: string | null;
  readonly fault: Fault | null;
  readonly sent: number;
  readonly replies: readonly { readonly number: number; readonly time: number }[];
}

async function sendPings(plan: IcmpPlan, deps: ProbeDeps, lanes: SharedLanes, signal: AbortSignal): Promise<Seen> {
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
  // First come, first served: one owner stands for all accounts.
  const leave = await lanes.enter('', AbortSignal.timeout(waitMs));
  if (leave === null) return failedBy(ours(`this machine was busy with other pings for ${waitMs / 1000} s`));
  const pinged = await ping(command, address, plan.settings.request.pingCount, signal).finally(leave);
  if (pinged.ownFault !== null) return failedBy(ours(pinged.ownFault));
  const replies = [...pinged.roundTrips].map(([number, time]) => ({ number, time }));
  return { tookMs: performance.now() - startedAt, dnsMs, address, fault: null, sent: pinged.sent, replies };
}

function ours(message: string): Fault {
  return { reason: 'observer-network', message };
}

function seenIn(plan: IcmpPlan, seen: Seen): LightSeen {
  const figures = seen.fault === null ? figuresOf(seen) : null;
  const short = figures && shownOf(figures);
  return {
    seen: figures && { LATENCY: { ...figures.latency }, JSON_RESPONSE: short },
    tookMs: seen.tookMs,
    responseTimeMs: figures?.latency?.['avg'] ?? null,
    address: seen.address,
    phases: { dns: seen.dnsMs },
    short,
    full: { replies: seen.replies.map((reply) => ({ ...reply })) },
    request: { hostname: plan.host, pingCount: plan.settings.request.pingCount },
    judge: (broken) => judge(plan, seen, figures, broken),
  };
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
