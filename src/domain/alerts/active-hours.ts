// Active hours of channels: when their deliveries are sent, and what happens outside of them (docs/decisions/0129).
import { instantAt, wallTimeOf } from '../checks/wall-time.ts';

export const weekdays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;
export type Weekday = (typeof weekdays)[number];

/** Hours of some days of the week, as local times. */
export interface ActivePeriod {
  readonly days: readonly Weekday[];
  /** `08:00` */
  readonly from: string;
  /** `18:00`, up to `24:00`; not after `from` = on the next day. */
  readonly to: string;
}

/** When a channel is active, and what happens to deliveries at other times. */
export interface ActiveHours {
  /** IANA name. */
  readonly timeZone: string;
  /** At least one. */
  readonly periods: readonly ActivePeriod[];
  /** `WAIT`: deliveries wait. `OTHER_CHANNEL`: they are sent through `otherChannelId`. */
  readonly outside: 'WAIT' | 'OTHER_CHANNEL';
  readonly otherChannelId: number | null;
}

const [minuteMs, dayMs] = [60_000, 86_400_000] as const;

/**
 * When the channel is active next, epoch ms; `now` if it is. A local time that a clock change skips is shifted by the
 * change; of a repeated one, a period lasts from the first to the last.
 */
export function activeFrom({ timeZone, periods }: ActiveHours, now: number): number {
  const today = Math.floor(wallTimeOf(now, timeZone) / dayMs) * dayMs;
  let next = Number.POSITIVE_INFINITY;
  // From yesterday, whose last period may end today, to the same day of the next week.
  for (let day = -1; day <= 7; day++) {
    const midnight = today + day * dayMs;
    const weekday = weekdays[new Date(midnight).getUTCDay()];
    for (const { days, from, to } of periods) {
      if (weekday === undefined || !days.includes(weekday)) continue;
      const [begins, ends] = [midnight + parseMinutes(from) * minuteMs, midnight + parseMinutes(to) * minuteMs];
      const startsAt = instantAt(begins, timeZone, 'first');
      const endsOn = ends <= begins ? ends + dayMs : ends;
      const endsBy = instantAt(endsOn, timeZone, 'last');
      // Skipped by the clock change up to its end: it is shifted whole, or it would never begin.
      const endsAt = endsBy > startsAt ? endsBy : startsAt + endsOn - begins;
      if (startsAt <= now && now < endsAt) return now;
      if (startsAt > now) next = Math.min(next, startsAt);
    }
  }
  return Number.isFinite(next) ? next : now + dayMs;
}

/** Minutes since midnight of `HH:MM`. */
function parseMinutes(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return 60 * hours + minutes;
}

/** The beginning of `hoursReason`. */
export const waitsForHours = 'outside the active hours of the channel';

/** Why a delivery waits. @param until epoch ms */
export function hoursReason(until: number): string {
  return `${waitsForHours}; continues at ${new Date(until).toISOString()}`;
}

/** A delivery before its first attempt. */
export interface HoursClaim {
  readonly accountId: string;
  /** A delivery leased by `owner`. */
  readonly deliveryId: string;
  readonly owner: string;
  /** When its channel is active next, epoch ms; `now` if it is. */
  readonly activeFrom: number;
  /** The channel to use outside of the hours; null = wait. */
  readonly otherChannelId: number | null;
  /** Whether newer messages of an incident supersede older ones, by type of the channel (docs/decisions/0136). */
  readonly isSuperseded: (channelType: string) => boolean;
  /** Whether channels of a type get digests. */
  readonly isDigested: (channelType: string) => boolean;
  /** Epoch ms. */
  readonly now: number;
}
