// Holds what was recorded and what arrived against what was promised (design §1); every breach is a sentence.
import { phaseMs } from '#domain/checks/slot.ts';
import type { Request } from '../peers/chaos-receiver.ts';
import type { Answered } from '../peers/chaos-target.ts';
import { judgeAnswers } from './answered.ts';
import { alertLine, expectedAlerts } from './expected.ts';
import { channels, type Installation } from './installation.ts';
import type { Recorded, RecordedResult } from './recorded.ts';
import { intervalMs } from './script.ts';
import type { Verdict } from './verdict.ts';
import type { Acknowledged, Door } from './writer.ts';

/** What others have on record: the receivers, the targets, and who called the trigger. */
export interface Witnessed {
  /** Epoch ms: what came later is not looked for. */
  readonly until: number;
  readonly requests: readonly Request[];
  readonly answered: readonly Answered[];
  readonly calls: number;
}

/** What is held against the records alone, whatever was done to the service. */
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

/** Every slot up to `until` has exactly one outcome, and none is there that was not due. */
function judgeSlots(
  { checkIds, made }: Installation,
  byCheck: ReadonlyMap<string, readonly RecordedResult[]>,
  until: number,
): Verdict {
  const breaches: string[] = [];
  let tried = 0;
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
      // A slot between request and answer of the check's creation may or may not belong to it.
      if (slotAt <= to && count === 0) continue;
      tried++;
      if (count !== 1)
        breaches.push(`check ${index} has ${count} outcomes for its slot ${new Date(slotAt).toISOString()}`);
    }
    for (const [slotAt, count] of outcomes) {
      if (slotAt <= until || count > 1)
        breaches.push(`check ${index} has ${count} outcomes at ${slotAt}, which is no slot`);
    }
  }
  return { promise: 'every due slot has exactly one outcome', tried, breaches };
}

/** Every alert that follows from the results recorded up to `until` arrived, and none came that follows from none. */
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
    { promise: 'every expected alert arrives', tried: expected.length, breaches: lost },
    { promise: 'no alert is invented', tried: came.size, breaches: invented },
    { promise: 'one alert is one delivery id', tried: came.size, breaches: twice },
  ];
}

/** A delivery comes again only when an attempt of it was interrupted, with the same timestamp, signed each time. */
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
    if (copies.some(({ isSigned }) => !isSigned)) changed.push(`${id} came with a wrong signature`);
  }
  const unended = [...deliveries].filter(
    ([id, { createdAt, status }]) => createdAt <= until && (status !== 'delivered' || !byId.has(id)),
  );
  const repeated = requests.length - byId.size;
  return [
    { promise: `duplicates (${repeated}) only of interrupted attempts`, tried: requests.length, breaches: duplicates },
    { promise: 'a repeat carries the same timestamp, signed', tried: byId.size, breaches: changed },
    {
      promise: 'every delivery ends delivered and was received',
      tried: deliveries.size,
      breaches: unended.map(([id, { status }]) => `${id} is ${status}${byId.has(id) ? '' : ', never received'}`),
    },
  ];
}

/** Each acknowledged call of the trigger ran every check of the group exactly once. */
function judgeTriggers(
  { triggeredIds }: Installation,
  byCheck: ReadonlyMap<string, readonly RecordedResult[]>,
  calls: number,
): Verdict {
  const breaches = triggeredIds.flatMap((checkId, index) => {
    const ran = (byCheck.get(checkId) ?? []).filter(({ isTriggered }) => isTriggered).length;
    return ran === calls ? [] : [`check ${index} of the group has ${ran} results of ${calls} acknowledged calls`];
  });
  return { promise: 'an acknowledged trigger runs each check once', tried: calls * triggeredIds.length, breaches };
}

/** A new check runs at once, and that once; one that an older version made has no such run. */
function judgeFirstRuns(byCheck: ReadonlyMap<string, readonly RecordedResult[]>): Verdict {
  const breaches = [...byCheck].flatMap(([checkId, results]) => {
    const ran = results.filter(({ isScheduled, isTriggered }) => !isScheduled && !isTriggered).length;
    return ran <= 1 ? [] : [`${checkId} ran at once ${ran} times`];
  });
  return { promise: 'a new check runs at once, and once', tried: byCheck.size, breaches };
}

/** What was acknowledged is there; what was left in doubt is there as it was sent, or not at all. */
export async function judgeWrites(door: Door, { variables, doubted, odd }: Acknowledged): Promise<Verdict[]> {
  const [lost, changed]: [string[], string[]] = [[], []];
  const valueOf = async (key: string): Promise<string | null> => {
    const { status, body } = await door.call('GET', `/v1/variables/${key}`);
    if (status === 404) return null;
    return status === 200 ? (body as { value: string }).value : `status ${status}`;
  };
  for (const [key, value] of variables) {
    const found = await valueOf(key);
    if (found !== value) lost.push(`${key} is ${found ?? 'gone'} instead of ${value}`);
  }
  let made = 0;
  for (const [key, value] of doubted) {
    const found = await valueOf(key);
    if (found !== null) made++;
    if (found !== null && found !== value) changed.push(`${key} is ${found} instead of ${value}`);
  }
  return [
    { promise: 'every acknowledged write is there', tried: variables.size, breaches: lost },
    { promise: `a write in doubt is whole (${made}) or not there`, tried: doubted.size, breaches: changed },
    { promise: 'a write is taken or answered 503', tried: variables.size + doubted.size, breaches: odd },
  ];
}
