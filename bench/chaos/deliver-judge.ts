// Compares the delivery logs with the requests received and the attempts interrupted. Each violation is one sentence.
import { createHash } from 'node:crypto';
import { retryPausesMs } from '#domain/deliveries/delivery.ts';
import type { Arrival } from '../peers/attempts-receiver.ts';
import type { Verdict } from './verdict.ts';
import type { CutOff, Entry, LoggedDelivery } from './recorded.ts';

/** Everything that the service, the receiver and the chaos driver recorded about deliveries. */
export interface Ledger {
  readonly deliveries: readonly LoggedDelivery[];
  readonly arrivals: readonly Arrival[];
  readonly cutOff: readonly CutOff[];
}

/** Channels whose deliveries were all exhausted and then replayed. */
export interface Replayed {
  readonly first: number;
  readonly count: number;
  /** Number of exhausted deliveries of each. */
  readonly each: number;
}

/** Guarantees that must hold once all deliveries have ended. */
export function judgeDeliveries({ deliveries, arrivals, cutOff }: Ledger, replayed: Replayed): Verdict[] {
  const sent = deliveries.filter(({ status }) => status !== 'exhausted');
  const byId = Map.groupBy(arrivals, ({ id }) => id);
  const cuts = Map.groupBy(cutOff, ({ id }) => id);
  const each = (judge: (delivery: LoggedDelivery, came: readonly Arrival[]) => string[]): string[] =>
    sent.flatMap((delivery) => judge(delivery, byId.get(delivery.id) ?? []).map((why) => `${delivery.id}: ${why}`));
  const known = new Set(sent.map(({ id }) => id));
  const invented = [...byId.keys()].filter((id) => !known.has(id)).map((id) => `${id} arrived but is not recorded`);
  const repeated = repeatsIn(arrivals);
  const emails = repeatsIn(arrivals.filter(({ status }) => status === 250));
  return [
    { guarantee: 'no delivery is lost', checked: sent.length, violations: each(lost) },
    {
      guarantee: `duplicates (${repeated}, ${emails} of them emails) have the same id, at most one per interrupted attempt`,
      checked: arrivals.length,
      violations: [...each(duplicated), ...invented],
    },
    {
      guarantee: 'every attempt sends the same bytes and timestamp, signed',
      checked: arrivals.length,
      violations: each(changed),
    },
    {
      guarantee: 'the log has every attempt that arrived, with its response',
      checked: sent.reduce((sum, { log }) => sum + log.length, 0),
      violations: each(unlogged),
    },
    {
      guarantee: 'the log shows interrupted attempts as interrupted, and no others',
      checked: cutOff.length,
      violations: each((delivery) => misjudged(delivery, cuts.get(delivery.id) ?? [])),
    },
    {
      guarantee: 'a retry is not sent before it is due',
      checked: sent.reduce((sum, { log }) => sum + log.filter(({ nextAttemptAt }) => nextAttemptAt !== null).length, 0),
      violations: each(tooSoon),
    },
    judgeReplays(deliveries, replayed),
    judgeOrder(sent, arrivals),
  ];
}

/** The id of an email is its Message-ID. */
function repeatsIn(arrivals: readonly Arrival[]): number {
  return arrivals.length - new Set(arrivals.map(({ id, attempt }) => `${id} ${attempt}`)).size;
}

function lost({ status }: LoggedDelivery, came: readonly Arrival[]): string[] {
  if (status !== 'delivered') return [`is ${status}`];
  return came.some(({ status: answered }) => answered < 300) ? [] : ['is recorded as delivered but was not accepted'];
}

function duplicated({ log }: LoggedDelivery, came: readonly Arrival[]): string[] {
  return [...Map.groupBy(came, ({ attempt }) => attempt)].flatMap(([attempt, copies]) => {
    const max = log.filter(({ number }) => number === attempt).length;
    return copies.length <= max ? [] : [`attempt ${attempt} came ${copies.length} times, ${max} are logged`];
  });
}

function changed({ id, replayOf }: LoggedDelivery, came: readonly Arrival[]): string[] {
  const hash = createHash('sha256')
    .update(JSON.stringify({ made: replayOf ?? id }))
    .digest('base64');
  const odd = came.filter((arrival) => arrival.hash !== hash || !arrival.isSigned || arrival.replayOf !== replayOf);
  const timestamps = new Set(came.map(({ timestamp }) => timestamp));
  return [
    ...odd.map(({ attempt }) => `attempt ${attempt} arrived with another body, signature or origin`),
    ...(timestamps.size > 1 ? [`arrived with the timestamps ${[...timestamps].join(', ')}`] : []),
  ];
}

/** Attempts are numbered 1 to n, each with one outcome, which is that of the receiver, after its interruptions. */
function unlogged({ log, attempts }: LoggedDelivery, came: readonly Arrival[]): string[] {
  const counted = log.filter(({ isInterrupted }) => !isInterrupted);
  const numbers = counted.map(({ number }) => number).join();
  const wanted = Array.from({ length: attempts }, (_, index) => index + 1).join();
  const order = log.map(({ number, isInterrupted }) => number * 2 + (isInterrupted ? 0 : 1));
  const answers = new Map(came.map(({ attempt, status }) => [attempt, status]));
  return [
    ...(numbers === wanted ? [] : [`its recorded attempts are ${numbers} instead of ${wanted}`]),
    ...(order.every((place, index) => place >= (order[index - 1] ?? 0)) ? [] : ['its log is out of order']),
    ...counted
      .filter(({ number, status }) => status !== answers.get(number))
      .map(({ number, status }) => `attempt ${number} got status ${answers.get(number)}, but ${status} is logged`),
    ...[...answers.keys()].filter((number) => number > attempts).map((number) => `attempt ${number} is not logged`),
  ];
}

function misjudged({ log }: LoggedDelivery, cuts: readonly CutOff[]): string[] {
  const key = ({ number, startedAt }: Pick<Entry, 'number' | 'startedAt'>): string => `${number} of ${startedAt}`;
  const shown = log.filter(({ isInterrupted }) => isInterrupted).map(key);
  const met = new Set(cuts.map(key));
  return [
    ...[...met]
      .filter((cut) => !shown.includes(cut))
      .map((cut) => `attempt ${cut} was interrupted but is not shown as such`),
    ...shown.filter((cut) => !met.has(cut)).map((cut) => `attempt ${cut} is shown as interrupted but was not`),
    ...(new Set(shown).size === shown.length ? [] : ['an interruption is shown twice']),
  ];
}

function tooSoon({ log }: LoggedDelivery): string[] {
  return log.flatMap(({ number, nextAttemptAt, startedAt, isInterrupted }, index) => {
    const next = log[index + 1];
    if (isInterrupted || nextAttemptAt === null || next === undefined) return [];
    const pauseMs = retryPausesMs[number - 1] ?? 0;
    const isRight = nextAttemptAt >= startedAt + pauseMs && next.startedAt >= nextAttemptAt;
    return isRight ? [] : [`attempt ${next.number} started at ${next.startedAt}, ${pauseMs} ms after ${startedAt}`];
  });
}

/** Each exhausted delivery of the channels has one replay, however often its replay was interrupted. */
function judgeReplays(deliveries: readonly LoggedDelivery[], { first, count, each }: Replayed): Verdict {
  const originals = deliveries.filter(({ channel, status }) => channel >= first && status === 'exhausted');
  const replays = Map.groupBy(
    deliveries.filter(({ replayOf }) => replayOf !== null),
    ({ replayOf }) => replayOf,
  );
  const violations = originals.flatMap(({ id }) => {
    const made = replays.get(id)?.length ?? 0;
    return made === 1 ? [] : [`${id} was replayed ${made} times`];
  });
  if (originals.length !== count * each)
    violations.push(`${originals.length} instead of ${count * each} were exhausted`);
  return { guarantee: 'exhausted deliveries are replayed exactly once', checked: originals.length, violations };
}

/** Tolerance for clock readings, ms. */
const readWithinMs = 5;

/** Deliveries of one channel and check first arrive in the order of their creation, despite kills, and never overlap. */
function judgeOrder(sent: readonly LoggedDelivery[], arrivals: readonly Arrival[]): Verdict {
  const places = new Map<string, number>();
  for (const [place, { id }] of arrivals.entries()) if (!places.has(id)) places.set(id, place);
  const ofChecks = sent.filter(({ check }) => check !== null);
  const lines = Map.groupBy(ofChecks, ({ channel, check }) => `${channel}/${check}`);
  const violations = [...lines.values()].flatMap((line) => [...overtaken(line, places), ...overlapping(line)]);
  return { guarantee: 'deliveries of a channel and check are sent in order', checked: ofChecks.length, violations };
}

function overtaken(line: readonly LoggedDelivery[], places: ReadonlyMap<string, number>): string[] {
  const made = line.map(({ id }) => id).sort();
  return made.flatMap((id, index) => {
    const before = made[index - 1];
    if (before === undefined || (places.get(before) ?? 0) < (places.get(id) ?? Number.POSITIVE_INFINITY)) return [];
    return [`${id}: arrived before ${before}, which is older`];
  });
}

function overlapping(line: readonly LoggedDelivery[]): string[] {
  const whole = line.flatMap(({ id, log }) => log.filter((one) => !one.isInterrupted).map((one) => ({ ...one, id })));
  const begun = whole.sort((a, b) => a.startedAt - b.startedAt);
  return begun.flatMap(({ id, number, startedAt }, index) => {
    const before = begun[index - 1];
    if (before === undefined || startedAt >= before.startedAt + before.durationMs - readWithinMs) return [];
    return [`${id}: attempt ${number} began while attempt ${before.number} of ${before.id} was in progress`];
  });
}
