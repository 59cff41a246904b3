// Counts the messages of a replay: in a storm, alerts of many checks are one message of a channel (docs/decisions/0127).
import type { AlertSettings } from '../alerts/alert-settings.ts';
import {
  afterAlert,
  afterJoining,
  afterSending,
  afterTime,
  type AlertStorm,
  countedFrom,
  digestThresholdOf,
  isGrouped,
  noStorm,
} from '../alerts/alert-storm.ts';
import type { Listener } from '../alerts/listener.ts';

/** A channel of the replay. */
type Receiver = Pick<Listener, 'alertChannelId' | 'grouping'> & { readonly isDigested?: boolean };

export interface MessageCounter {
  /** When each message was sent. */
  readonly times: readonly number[];
  /** A check started to fail or recovered. */
  note(checkId: string, now: number): void;
  /** An alert is sent to a channel, alone or with others. */
  send(channel: Receiver, alert: { readonly checkId: string; readonly isNews: boolean }, now: number): void;
}

/** @param settings of the account @param isCounted whether a message about a check at a time counts */
export function createMessages(
  settings: AlertSettings | null,
  isCounted: (checkId: string, at: number) => boolean = () => true,
): MessageCounter {
  const threshold = digestThresholdOf(settings);
  /** When each check last started to fail or recovered. */
  const noted = new Map<string, number>();
  /** Checks and channels whose last alert was grouped. */
  const grouped = new Set<string>();
  let storm: AlertStorm = noStorm;
  const times: number[] = [];
  const counted = (now: number): number => {
    for (const [id, at] of noted) if (at <= countedFrom(now)) noted.delete(id);
    return noted.size;
  };
  const passTime = (now: number): void => {
    const collecting = new Set<string>();
    for (const [id, { digestId, dueAt }] of Object.entries(storm.channels)) {
      if (digestId === null) continue;
      if (dueAt !== null && dueAt <= now) storm = afterSending(storm, Number(id), dueAt);
      else collecting.add(digestId);
    }
    storm = afterTime(storm, { counted: counted(now), threshold, collecting }, now);
  };
  return {
    times,
    note(checkId, now) {
      if (threshold === null) return;
      // Just before it counts: a storm may have been over until now.
      passTime(now - 1);
      noted.set(checkId, now);
      storm = afterAlert(storm, counted(now), threshold, now);
    },
    send({ alertChannelId, grouping, isDigested }, { checkId, isNews }, now) {
      const key = `${checkId} ${alertChannelId}`;
      passTime(now);
      const isOne =
        threshold !== null &&
        grouping === true &&
        isDigested === true &&
        isGrouped(storm, { isNews, wasGrouped: grouped.has(key) });
      if (!isOne) {
        grouped.delete(key);
        if (isCounted(checkId, now)) times.push(now);
        return;
      }
      grouped.add(key);
      const newDigestId = `${alertChannelId} ${now}`;
      const joined = afterJoining(storm, { alertChannelId, isNews, newDigestId }, now);
      if (storm.channels[alertChannelId]?.digestId !== joined.digestId && isCounted(checkId, now)) times.push(now);
      storm = joined.storm;
    },
  };
}
