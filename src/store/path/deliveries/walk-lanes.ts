// The rotation of claims over channels, and when to claim again; the same on both engines (docs/decisions/0014).
import type { IdBytes } from '../../base/codec.ts';
import { type DeliveryClaim, retryMs } from '../../channels/delivery-rows.ts';

/** A channel with its earliest waiting delivery. */
export interface Lane {
  readonly account_id: IdBytes;
  /** The same as text. */
  readonly accountId: string;
  readonly alert_channel_id: number;
  readonly next_attempt_at: number;
}

/**
 * Channels in the order of accounts and IDs, from the one after `place` on, each once; returns whether these were all.
 * Channels of skipped accounts are omitted.
 */
export type LaneOrder<Each extends Lane = Lane> = Iterator<Each, boolean>;

/** Outcome of a walk. */
export interface LaneWalk {
  /** When channels with room are considered again, epoch ms. */
  readonly dueTimes: readonly number[];
  /** How far it came: over all channels, over those of one claim, or as far as the claim has capacity. */
  readonly end: 'whole' | 'part' | 'full';
}

/** What a claim takes from a channel. */
export interface Taken {
  readonly count: number;
  /** When the channel is considered again, epoch ms; null = when more arrives. */
  readonly nextAt: number | null;
}

/**
 * Takes due deliveries channel by channel until the claim is full, and moves its place.
 * @param take receives a channel with due deliveries and its room
 */
export function walkLanes<Each extends Lane>(
  lanes: LaneOrder<Each>,
  { now, max, room, place }: Pick<DeliveryClaim, 'now' | 'max' | 'room' | 'place'>,
  take: (lane: Each, room: number) => Taken,
): LaneWalk {
  const dueTimes: number[] = [];
  let taken = 0;
  for (;;) {
    const step = lanes.next();
    if (step.done === true) return { dueTimes, end: step.value ? 'whole' : 'part' };
    if (taken >= max) return { dueTimes, end: 'full' };
    const lane = step.value;
    const ofLane = room(lane.accountId, lane.alert_channel_id, 0);
    if (ofLane > 0 && lane.next_attempt_at <= now) {
      const { count, nextAt } = take(lane, ofLane);
      taken += count;
      if (nextAt !== null) dueTimes.push(nextAt);
    } else if (ofLane > 0) dueTimes.push(lane.next_attempt_at);
    place.accountId = lane.account_id;
    place.alertChannelId = lane.alert_channel_id;
  }
}

/** A channel after a claim, in numbers of deliveries. */
export interface LaneOutcome {
  readonly due: number;
  /** Of these, the first of each check that no newer one supersedes. */
  readonly firsts: number;
  readonly superseded: number;
  /** First ones that wait for a requested delay, or whose channel does not exist. */
  readonly unsent: number;
  /** Whether as many were due as there was room. */
  readonly isFull: boolean;
}

/**
 * Whether a channel must be considered again at once: more may be due after those that were not sent, and capacity was
 * reserved by those that wait for another of their check, which the next claim skips.
 */
export function isDueAgain({ due, firsts, superseded, unsent, isFull }: LaneOutcome): boolean {
  return superseded > 0 || unsent > 0 || (isFull && firsts < due);
}

/** When to claim again, epoch ms; null = when more arrives. @param claimed number of deliveries */
export function nextClaimAt({ dueTimes, end }: LaneWalk, claimed: number, now: number): number | null {
  const times = [...dueTimes];
  if (end === 'full') times.push(now);
  // If there are more channels than one claim covers, the next one follows immediately.
  if (end === 'part') times.push(claimed > 0 ? now : now + retryMs);
  return times.length === 0 ? null : Math.min(...times);
}
