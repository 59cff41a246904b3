// Verifies records and received requests against the guarantees (design §1). Each violation is one sentence.
import { phaseMs } from '#domain/checks/schedule.ts';
import type { Request } from '../peers/chaos-receiver.ts';
import type { Answered } from '../peers/chaos-target.ts';
import { judgeAnswers } from './answered.ts';
import { alertLine, expectedAlerts } from './expected.ts';
import { channels, type Installation } from './installation.ts';
import type { Recorded, RecordedResult, GroupedAlert } from './recorded.ts';
import { intervalMs } from './script.ts';
import type { Verdict } from './verdict.ts';
import type { Acknowledged, ApiClient } from './writer.ts';
import { metricOf, pause, type Service } from '../support/service.ts';

/** Records outside of the service: receivers, targets, and the client that called the trigger. */
export interface Witnessed {
  /** Later events are ignored, epoch ms. */
  readonly until: number;
  readonly requests: readonly Request[];
  readonly answered: readonly Answered[];
  readonly calls: number;
}

/** Verifies the records, whatever faults occurred. */
export function judgeRecords(
  installation: Installation,
  recorded: Recorded,
  { until, requests, answered, calls }: Witnessed,
): Verdict[] {
  const byCheck = Map.groupBy(recorded.results(), ({ checkId }) => checkId);
  return [
    judgeSlots(installation, byCheck, until),
    judgeAnswers(installation, byCheck, answered),
    ...judgeAlerts(installation, byCheck, requests, until),
    ...judgeDeliveries(recorded, requests, until),
    judgeTriggers(installation, byCheck, calls),
    judgeFirstRuns(byCheck),
  ];
}

/** Every slot up to `until` has exactly one outcome, and no other slot has one. */
function judgeSlots(
  { checkIds, made }: Installation,
  byCheck: ReadonlyMap<string, readonly RecordedResult[]>,
  until: number,
): Verdict {
  const violations: string[] = [];
  let checked = 0;
  for (const [index, checkId] of checkIds.entries()) {
    const phase = phaseMs(checkId, intervalMs);
    const outcomes = new Map<number, number>();
    const scheduled = (byCheck.get(checkId) ?? []).filter(({ isScheduled }) => isScheduled);
    for (const { at, slots } of scheduled) {
      for (let slot = 0; slot < slots; slot++) {
        const slotAt = at + slot * intervalMs;
        outcomes.set(slotAt, (outcomes.get(slotAt) ?? 0) + 1);
      }
    }
    const { from, to } = made[index] ?? { from: 0, to: 0 };
    for (
      let slotAt = Math.ceil((from - phase) / intervalMs) * intervalMs + phase;
      slotAt <= until;
      slotAt += intervalMs
    ) {
      const count = outcomes.get(slotAt) ?? 0;
      outcomes.delete(slotAt);
      // A slot during the creation request of the check is optional.
      if (slotAt <= to && count === 0) continue;
      checked++;
      if (count !== 1)
        violations.push(`check ${index} has ${count} outcomes for its slot ${new Date(slotAt).toISOString()}`);
    }
    for (const [slotAt, count] of outcomes) {
      if (slotAt <= until || count > 1)
        violations.push(`check ${index} has ${count} outcomes at ${slotAt}, which is not a slot`);
    }
  }
  return { guarantee: 'every due slot has exactly one outcome', checked, violations };
}

/** Every alert expected from results up to `until` arrived, and no other alert. */
function judgeAlerts(
  { checkIds }: Installation,
  byCheck: ReadonlyMap<string, readonly RecordedResult[]>,
  requests: readonly Request[],
  until: number,
): Verdict[] {
  const expected = checkIds.flatMap((checkId) =>
    channels.flatMap((channel) => expectedAlerts(checkId, channel, byCheck.get(checkId) ?? [])),
  );
  const came = new Map<string, Set<string>>();
  for (const { channel, alertType, checkId, resultId, deliveryId } of requests) {
    const line = alertLine(channel, alertType, checkId, resultId);
    came.set(line, (came.get(line) ?? new Set()).add(deliveryId));
  }
  const wanted = new Set(expected.map(({ line }) => line));
  const lost = expected.filter(({ line, at }) => at <= until && !came.has(line)).map(({ line }) => line);
  const invented = [...came.keys()].filter((line) => !wanted.has(line));
  const twice = [...came]
    .filter(([, ids]) => ids.size > 1)
    .map(([line, ids]) => `${line} as ${[...ids].join(' and ')}`);
  return [
    { guarantee: 'every expected alert arrives', checked: expected.length, violations: lost },
    { guarantee: 'no alert is invented', checked: came.size, violations: invented },
    { guarantee: 'each alert has one delivery id', checked: came.size, violations: twice },
  ];
}

/** A delivery is repeated only after an interrupted attempt, with the same timestamp and always signed. */
function judgeDeliveries(recorded: Recorded, requests: readonly Request[], until: number): Verdict[] {
  const deliveries = recorded.deliveries();
  const byId = Map.groupBy(requests, ({ deliveryId }) => deliveryId);
  const duplicates: string[] = [];
  const changed: string[] = [];
  for (const [id, copies] of byId) {
    const interrupted = deliveries.get(id)?.interrupted ?? 0;
    if (copies.length > 1 + interrupted)
      duplicates.push(`${id} came ${copies.length} times, ${interrupted} interrupted`);
    if (new Set(copies.map(({ timestamp }) => timestamp)).size > 1) changed.push(`${id} changed its timestamp`);
    if (copies.some(({ isSigned }) => !isSigned)) changed.push(`${id} arrived with an invalid signature`);
  }
  const unended = [...deliveries].filter(
    ([id, { createdAt, status }]) => createdAt <= until && (status !== 'delivered' || !byId.has(id)),
  );
  const repeated = requests.length - byId.size;
  return [
    {
      guarantee: `duplicates (${repeated}) follow interrupted attempts only`,
      checked: requests.length,
      violations: duplicates,
    },
    { guarantee: 'duplicates have the same timestamp and are signed', checked: byId.size, violations: changed },
    {
      guarantee: 'every delivery is recorded as delivered and was received',
      checked: deliveries.size,
      violations: unended.map(([id, { status }]) => `${id} is ${status}${byId.has(id) ? '' : ', never received'}`),
    },
  ];
}

/** Each acknowledged call of the trigger ran every check of the group exactly once. */
function judgeTriggers(
  { triggeredIds }: Installation,
  byCheck: ReadonlyMap<string, readonly RecordedResult[]>,
  calls: number,
): Verdict {
  const violations = triggeredIds.flatMap((checkId, index) => {
    const ran = (byCheck.get(checkId) ?? []).filter(({ isTriggered }) => isTriggered).length;
    return ran === calls ? [] : [`check ${index} of the group has ${ran} results of ${calls} acknowledged calls`];
  });
  return {
    guarantee: 'an acknowledged trigger runs each check once',
    checked: calls * triggeredIds.length,
    violations,
  };
}

/** A new check runs once immediately; one created by an older version does not. */
function judgeFirstRuns(byCheck: ReadonlyMap<string, readonly RecordedResult[]>): Verdict {
  const violations = [...byCheck].flatMap(([checkId, results]) => {
    const ran = results.filter(({ isScheduled, isTriggered }) => !isScheduled && !isTriggered).length;
    return ran <= 1 ? [] : [`${checkId} had ${ran} immediate runs`];
  });
  return { guarantee: 'a new check has one immediate run', checked: byCheck.size, violations };
}

/** Acknowledged writes exist. Writes with an unknown outcome are complete or missing. */
export async function judgeWrites(
  client: ApiClient,
  { variables, unconfirmed, odd }: Acknowledged,
): Promise<Verdict[]> {
  const [lost, changed]: [string[], string[]] = [[], []];
  const valueOf = async (key: string): Promise<string | null> => {
    const { status, body } = await client.call('GET', `/v1/variables/${key}`);
    if (status === 404) return null;
    return status === 200 ? (body as { value: string }).value : `status ${status}`;
  };
  for (const [key, value] of variables) {
    const found = await valueOf(key);
    if (found !== value) lost.push(`${key} is ${found ?? 'missing'} instead of ${value}`);
  }
  let made = 0;
  for (const [key, value] of unconfirmed) {
    const found = await valueOf(key);
    if (found !== null) made++;
    if (found !== null && found !== value) changed.push(`${key} is ${found} instead of ${value}`);
  }
  return [
    { guarantee: 'every acknowledged write exists', checked: variables.size, violations: lost },
    {
      guarantee: `a write with an unknown outcome is complete (${made}) or missing`,
      checked: unconfirmed.size,
      violations: changed,
    },
    { guarantee: 'a write succeeds or returns 503', checked: variables.size + unconfirmed.size, violations: odd },
  ];
}

/** A grouped notification leaves 45 s after the first new failure in it. */
const newsMs = 60_000;
/** Statuses of messages that were sent, were replaced by a newer one, or still collect alerts. */
const carried: ReadonlySet<string | null> = new Set(['delivered', 'superseded', 'collecting', 'pending']);

/**
 * @param until later alerts may still wait, epoch ms
 * @param outageMs longest time in which no process could send
 */
export function judgeGrouped(alerts: readonly GroupedAlert[], until: number, outageMs: number): Verdict[] {
  const settled = alerts.filter(({ createdAt }) => createdAt <= until);
  // A recovery closes what a channel knows: of one result, channels may receive alerts of different types.
  const uneven = [...Map.groupBy(settled, ({ resultId }) => resultId)]
    .map(([id, all]) => ({ id, deliveries: sumOf(all, 'deliveries'), everyAlert: sumOf(all, 'everyAlert') }))
    .filter(({ deliveries, everyAlert }) => deliveries !== everyAlert);
  const lost = settled.filter(({ status, deliveries }) => deliveries > 0 && !carried.has(status));
  const failures = settled.filter(
    ({ isFailure, isHeld, deliveries, status }) => isFailure && !isHeld && deliveries > 0 && status !== 'superseded',
  );
  const waited = failures.map(({ id, createdAt, attemptedAt }) => ({ id, ms: (attemptedAt ?? until) - createdAt }));
  const longestMs = waited.reduce((longest, { ms }) => Math.max(longest, ms), 0);
  return [
    {
      guarantee: 'people have one delivery wherever machines have one',
      checked: settled.length,
      violations: uneven.map(
        ({ id, deliveries, everyAlert }) => `result ${id}: ${deliveries} instead of ${everyAlert}`,
      ),
    },
    {
      guarantee: 'each is sent alone or in a message that exists',
      checked: settled.length,
      violations: lost.map(({ id, status }) => `alert ${id} is ${status ?? 'in no message'}`),
    },
    {
      guarantee: `new failures are sent within a minute of a running process (longest: ${(longestMs / 1000).toFixed(1)} s)`,
      checked: failures.length,
      violations: waited.filter(({ ms }) => ms > newsMs + outageMs).map(({ id, ms }) => `alert ${id} after ${ms} ms`),
    },
  ];
}

function sumOf(alerts: readonly GroupedAlert[], name: 'deliveries' | 'everyAlert'): number {
  return alerts.reduce((sum, alert) => sum + alert[name], 0);
}

const maxSettleMs = 60_000;

/** A guarantee that is checked once. */
export function judgeOne(guarantee: string, violations: readonly string[]): Verdict {
  return { guarantee, checked: 1, violations };
}

/** Waits until every slot up to `until` (epoch ms) is closed and every delivery has ended, for a minute at most. */
export async function judgeSettled(recorded: Recorded, until: number): Promise<Verdict> {
  const guarantee = 'in the end there is no open slot and no pending delivery';
  const deadline = performance.now() + maxSettleMs;
  while (performance.now() < deadline) {
    const isOpen = recorded.openSlots().some((slotAt) => slotAt <= until);
    if (!isOpen && recorded.pending() === 0 && Date.now() > until + 2000) return judgeOne(guarantee, []);
    await pause(50);
  }
  return judgeOne(guarantee, [
    `${recorded.pending()} deliveries pending, open slots ${recorded.openSlots().join(', ')}`,
  ]);
}

/** Requested runs minus their outcomes, as measured by the service. */
export async function judgeConservation(service: Pick<Service, 'call'>): Promise<Verdict> {
  const difference = await metricOf(service, 'tocsin_conservation_difference');
  const violations = difference === 0 ? [] : [`the difference is ${difference}`];
  return judgeOne('requested runs = outcomes + open runs', violations);
}
