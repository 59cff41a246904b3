// Alert storms: when alerts for people are grouped, and until when (docs/decisions/0127). Reducers of the storm of an
// account. Times are epoch ms.
import type { AlertSettings } from './alert-settings.ts';

/** A storm begins when more checks than a threshold start to fail or recover within this time, ms. */
export const stormWindowMs = 60_000;
/** A digest with news leaves this long after the first of them, ms. With what follows, people know within a minute. */
export const newsDelayMs = 45_000;
/** Least time between two digests to a channel if the later one has no news, ms. */
export const digestPauseMs = 300_000;
/** Default of `digestThreshold`. */
export const defaultDigestThreshold = 20;

/** The storm of an account. */
export interface AlertStorm {
  /** null = there is none. */
  readonly startedAt: number | null;
  /** Channels with a digest that collects, or that left a short time ago, by ID. */
  readonly channels: Readonly<Record<string, StormChannel>>;
}

/** The digests of a channel. */
export interface StormChannel {
  /** The digest that collects its alerts; null = the next alert starts one. */
  readonly digestId: string | null;
  /** When that digest leaves; null = there is none. */
  readonly dueAt: number | null;
  /** When the last digest left; null = none has left. */
  readonly sentAt: number | null;
}

export const noStorm: AlertStorm = { startedAt: null, channels: {} };

/** Number of checks that must be exceeded for a storm; null = alerts are never grouped. */
export function digestThresholdOf(settings: AlertSettings | null): number | null {
  const threshold = settings?.digestThreshold ?? defaultDigestThreshold;
  return threshold === 0 ? null : threshold;
}

/** Alerts after this time count. */
export function countedFrom(now: number): number {
  return now - stormWindowMs;
}

/**
 * The storm after an alert.
 * @param counted number of checks that started to fail or recovered since `countedFrom`; reminders and checks that flap
 *   do not count
 */
export function afterAlert(storm: AlertStorm, counted: number, threshold: number, now: number): AlertStorm {
  return storm.startedAt === null && counted > threshold ? { ...storm, startedAt: now } : storm;
}

/** An alert of a channel whose alerts may be grouped. */
export interface GroupableAlert {
  /** Whether it tells of a new failure, degradation or certificate step; otherwise a recovery or a reminder. */
  readonly isNews: boolean;
  /** Whether the alert that it closes or repeats was grouped. */
  readonly wasGrouped: boolean;
}

/** Whether an alert is grouped: in a storm, and to close or repeat one that was grouped. */
export function isGrouped(
  { startedAt }: Pick<AlertStorm, 'startedAt'>,
  { isNews, wasGrouped }: GroupableAlert,
): boolean {
  return startedAt !== null || (wasGrouped && !isNews);
}

/** The storm after an alert joined the digest of a channel. @param newDigestId used if none collects */
export function afterJoining(
  storm: AlertStorm,
  { alertChannelId, isNews, newDigestId }: { alertChannelId: number; isNews: boolean; newDigestId: string },
  now: number,
): { readonly storm: AlertStorm; readonly digestId: string; readonly dueAt: number } {
  const channel = storm.channels[alertChannelId] ?? { digestId: null, dueAt: null, sentAt: null };
  const digestId = channel.digestId ?? newDigestId;
  const dueAt = Math.min(channel.dueAt ?? Number.POSITIVE_INFINITY, dueAtOf(channel, isNews, now));
  return { storm: withChannel(storm, alertChannelId, { ...channel, digestId, dueAt }), digestId, dueAt };
}

function dueAtOf({ sentAt }: StormChannel, isNews: boolean, now: number): number {
  const soonest = now + newsDelayMs;
  // In the future: the clock was set back.
  return isNews || sentAt === null || sentAt > now ? soonest : Math.max(soonest, sentAt + digestPauseMs);
}

/** No digest is due later than this; if one is, the clock was set back. */
export function latestDueAt(now: number): number {
  return now + Math.max(newsDelayMs, digestPauseMs);
}

/** The storm after the digest of a channel left. */
export function afterSending(storm: AlertStorm, alertChannelId: number, now: number): AlertStorm {
  return withChannel(storm, alertChannelId, { digestId: null, dueAt: null, sentAt: now });
}

/** The facts that decide whether a storm is over. */
export interface StormFacts {
  /** As for `afterAlert`. */
  readonly counted: number;
  /** null = switched off meanwhile. */
  readonly threshold: number | null;
  /** Digests that exist and collect. */
  readonly collecting: ReadonlySet<string>;
}

/**
 * The storm as time passes: it is over when fewer than half of the threshold counted in the last minute, and channels
 * are forgotten after their pause.
 */
export function afterTime(storm: AlertStorm, { counted, threshold, collecting }: StormFacts, now: number): AlertStorm {
  const { startedAt } = storm;
  const isOver = startedAt === null || threshold === null || startedAt > now || counted < threshold / 2;
  const channels = Object.entries(storm.channels).flatMap(([id, channel]): [string, StormChannel][] => {
    if (channel.digestId !== null && collecting.has(channel.digestId)) return [[id, channel]];
    const isPausing = channel.sentAt !== null && channel.sentAt <= now && now < channel.sentAt + digestPauseMs;
    return isPausing ? [[id, { ...channel, digestId: null, dueAt: null }]] : [];
  });
  return { startedAt: isOver ? null : startedAt, channels: Object.fromEntries(channels) };
}

/** Whether nothing has to be done for an account until its next alert. */
export function isIdle({ startedAt, channels }: AlertStorm): boolean {
  return startedAt === null && Object.keys(channels).length === 0;
}

function withChannel(storm: AlertStorm, id: number, channel: StormChannel): AlertStorm {
  return { ...storm, channels: { ...storm.channels, [id]: channel } };
}
