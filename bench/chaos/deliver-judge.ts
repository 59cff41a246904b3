// Holds the logs of deliveries against what arrived and against what was cut off; every breach is a sentence.
import { createHash } from 'node:crypto';
import { retryPausesMs } from '#domain/alerts/delivery.ts';
import type { Arrival } from '../peers/attempts-receiver.ts';
import type { Verdict } from './verdict.ts';
import type { CutOff, Entry, Tried } from './tried.ts';

/** Everything that was written down of deliveries: by the service, by the receiver, and by who killed. */
export interface Ledger {
  readonly deliveries: readonly Tried[];
  readonly arrivals: readonly Arrival[];
  readonly cutOff: readonly CutOff[];
}

/** The channels of which everything was exhausted and then replayed. */
export interface Replayed {
  readonly first: number;
  readonly count: number;
  /** Exhausted deliveries of each. */
  readonly each: number;
}

/** What must hold of deliveries when all of them have ended. */
export function judgeDeliveries({ deliveries, arrivals, cutOff }: Ledger, replayed: Replayed): Verdict[] {
  const sent = deliveries.filter(({ status }) => status !== 'exhausted');
  const byId = Map.groupBy(arrivals, ({ id }) => id);
  const cuts = Map.groupBy(cutOff, ({ id }) => id);
  const each = (judge: (delivery: Tried, came: readonly Arrival[]) => string[]): string[] =>
    sent.flatMap((delivery) => judge(delivery, byId.get(delivery.id) ?? []).map((why) => `${delivery.id}: ${why}`));
  const known = new Set(sent.map(({ id }) => id));
  const invented = [...byId.keys()].filter((id) => !known.has(id)).map((id) => `${id} came and is nowhere on record`);
  const repeated = new Set(arrivals.map(({ id, attempt }) => `${id} ${attempt}`)).size;
  return [
    { promise: 'no delivery is lost', tried: sent.length, breaches: each(lost) },
    {
      promise: `duplicates (${arrivals.length - repeated}): same id, at most one for each attempt cut off`,
      tried: arrivals.length,
      breaches: [...each(duplicated), ...invented],
    },
    {
      promise: 'every attempt sends the same bytes and timestamp, signed',
      tried: arrivals.length,
      breaches: each(changed),
    },
    {
      promise: 'the log has every attempt that arrived, with its answer',
      tried: sent.reduce((sum, { log }) => sum + log.length, 0),
      breaches: each(unlogged),
    },
    {
      promise: 'the log shows each attempt cut off as interrupted, and no other',
      tried: cutOff.length,
      breaches: each((delivery) => misjudged(delivery, cuts.get(delivery.id) ?? [])),
    },
    {
      promise: 'a retry comes no sooner than it is due',
      tried: sent.reduce((sum, { log }) => sum + log.filter(({ nextAttemptAt }) => nextAttemptAt !== null).length, 0),
      breaches: each(tooSoon),
    },
    judgeReplays(deliveries, replayed),
    judgeOrder(sent, arrivals),
  ];
}

function lost({ status }: Tried, came: readonly Arrival[]): string[] {
  if (status !== 'delivered') return [`is ${status}`];
  return came.some((arrival) => arrival.status === 200) ? [] : ['is said to be delivered and was not taken'];
}

function duplicated({ log }: Tried, came: readonly Arrival[]): string[] {
  return [...Map.groupBy(came, ({ attempt }) => attempt)].flatMap(([attempt, copies]) => {
    const max = log.filter(({ number }) => number === attempt).length;
    return copies.length <= max ? [] : [`attempt ${attempt} came ${copies.length} times, ${max} are logged`];
  });
}

function changed({ id, replayOf }: Tried, came: readonly Arrival[]): string[] {
  const hash = createHash('sha256')
    .update(JSON.stringify({ made: replayOf ?? id }))
    .digest('base64');
  const odd = came.filter((arrival) => arrival.hash !== hash || !arrival.isSigned || arrival.replayOf !== replayOf);
  const timestamps = new Set(came.map(({ timestamp }) => timestamp));
  return [
    ...odd.map(({ attempt }) => `attempt ${attempt} came with another body, signature or origin`),
    ...(timestamps.size > 1 ? [`came with the timestamps ${[...timestamps].join(', ')}`] : []),
  ];
}

/** Numbers 1 to n, each with one outcome, which is that of the receiver, behind what was interrupted of it. */
function unlogged({ log, attempts }: Tried, came: readonly Arrival[]): string[] {
  const counted = log.filter(({ isInterrupted }) => !isInterrupted);
  const numbers = counted.map(({ number }) => number).join();
  const wanted = Array.from({ length: attempts }, (_, index) => index + 1).join();
  const order = log.map(({ number, isInterrupted }) => number * 2 + (isInterrupted ? 0 : 1));
  const answers = new Map(came.map(({ attempt, status }) => [attempt, status]));
  return [
    ...(numbers === wanted ? [] : [`its attempts are ${numbers} on record instead of ${wanted}`]),
    ...(order.every((place, index) => place >= (order[index - 1] ?? 0)) ? [] : ['its log is out of order']),
    ...counted
      .filter(({ number, status }) => status !== answers.get(number))
      .map(({ number, status }) => `attempt ${number} was answered ${answers.get(number)}, logged is ${status}`),
    ...[...answers.keys()].filter((number) => number > attempts).map((number) => `attempt ${number} is not logged`),
  ];
}

function misjudged({ log }: Tried, cuts: readonly CutOff[]): string[] {
  const key = ({ number, startedAt }: Pick<Entry, 'number' | 'startedAt'>): string => `${number} of ${startedAt}`;
  const shown = log.filter(({ isInterrupted }) => isInterrupted).map(key);
  const met = new Set(cuts.map(key));
  return [
    ...[...met].filter((cut) => !shown.includes(cut)).map((cut) => `attempt ${cut} was cut off and is not shown so`),
    ...shown.filter((cut) => !met.has(cut)).map((cut) => `attempt ${cut} is shown as interrupted and was not cut off`),
    ...(new Set(shown).size === shown.length ? [] : ['an interruption is shown twice']),
  ];
}

function tooSoon({ log }: Tried): string[] {
  return log.flatMap(({ number, nextAttemptAt, startedAt, isInterrupted }, index) => {
    const next = log[index + 1];
    if (isInterrupted || nextAttemptAt === null || next === undefined) return [];
    const pauseMs = retryPausesMs[number - 1] ?? 0;
    const isRight = nextAttemptAt >= startedAt + pauseMs && next.startedAt >= nextAttemptAt;
    return isRight ? [] : [`attempt ${next.number} started at ${next.startedAt}, ${pauseMs} ms after ${startedAt}`];
  });
}

/** Each exhausted delivery of the channels has one replay, however often its replay was cut off. */
function judgeReplays(deliveries: readonly Tried[], { first, count, each }: Replayed): Verdict {
  const originals = deliveries.filter(({ channel, status }) => channel >= first && status === 'exhausted');
  const replays = Map.groupBy(
    deliveries.filter(({ replayOf }) => replayOf !== null),
    ({ replayOf }) => replayOf,
  );
  const breaches = originals.flatMap(({ id }) => {
    const made = replays.get(id)?.length ?? 0;
    return made === 1 ? [] : [`${id} was replayed ${made} times`];
  });
  if (originals.length !== count * each) breaches.push(`${originals.length} instead of ${count * each} were exhausted`);
  return { promise: 'what was exhausted is replayed exactly once', tried: originals.length, breaches };
}

/** Clocks are read a little before and after what they are read for, ms. */
const readWithinMs = 5;

/** What one channel and check have comes for the first time as it was made, also over kills; no attempt begins during another. */
function judgeOrder(sent: readonly Tried[], arrivals: readonly Arrival[]): Verdict {
  const places = new Map<string, number>();
  for (const [place, { id }] of arrivals.entries()) if (!places.has(id)) places.set(id, place);
  const ofChecks = sent.filter(({ check }) => check !== null);
  const lines = Map.groupBy(ofChecks, ({ channel, check }) => `${channel}/${check}`);
  const breaches = [...lines.values()].flatMap((line) => [...overtaken(line, places), ...overlapping(line)]);
  return { promise: 'of one channel and check each begins in its turn', tried: ofChecks.length, breaches };
}

function overtaken(line: readonly Tried[], places: ReadonlyMap<string, number>): string[] {
  const made = line.map(({ id }) => id).sort();
  return made.flatMap((id, index) => {
    const before = made[index - 1];
    if (before === undefined || (places.get(before) ?? 0) < (places.get(id) ?? Number.POSITIVE_INFINITY)) return [];
    return [`${id}: came before ${before}, which was made before it`];
  });
}

function overlapping(line: readonly Tried[]): string[] {
  const whole = line.flatMap(({ id, log }) => log.filter((one) => !one.isInterrupted).map((one) => ({ ...one, id })));
  const begun = whole.sort((a, b) => a.startedAt - b.startedAt);
  return begun.flatMap(({ id, number, startedAt }, index) => {
    const before = begun[index - 1];
    if (before === undefined || startedAt >= before.startedAt + before.durationMs - readWithinMs) return [];
    return [`${id}: attempt ${number} began while attempt ${before.number} of ${before.id} was under way`];
  });
}
