// Plans a due schedule: the run of the current slot, and a record of missed slots.
import type { Schedule as CheckSchedule } from './schedule.ts';

/** When and where a check runs. Times are epoch ms. */
export interface Schedule extends CheckSchedule {
  /** The oldest slot without an outcome. */
  readonly nextDueAt: number;
  /** Later slots are planned on another tick; never in the future. */
  readonly until: number;
}

/** Consecutive missed slots: `slots` of them, the first at `slotAt`, `intervalMs` apart. */
export interface MissedStretch {
  readonly slotAt: number;
  readonly slots: number;
  readonly location: string;
}

/** Plan of a due schedule. */
export interface RunPlan {
  readonly runs: readonly { readonly slotAt: number; readonly dueAt: number; readonly location: string }[];
  readonly missed: readonly MissedStretch[];
  /** The first slot after those. */
  readonly nextDueAt: number;
}

/**
 * Plans a schedule that is due at `now` (epoch ms). A slot can run until the next one starts; older ones are missed.
 */
export function planRuns(schedule: Schedule, now: number, served: readonly string[]): RunPlan {
  const { nextDueAt, until, intervalMs, runParallel } = schedule;
  const all = placesOf(schedule.locations, served);
  const over = Math.max(0, Math.floor((until - nextDueAt) / intervalMs));
  const slotAt = nextDueAt + over * intervalMs;
  const locations = runParallel ? all : oneOf(all, slotAt, intervalMs);
  const isOver = slotAt + intervalMs <= now;
  const slots = isOver ? over + 1 : over;
  const dueAt = startOf(schedule, slotAt, now);
  return {
    runs: isOver ? [] : locations.map((location) => ({ slotAt, dueAt, location })),
    missed: slots === 0 ? [] : locations.map((location) => ({ slotAt: nextDueAt, slots, location })),
    nextDueAt: slotAt + intervalMs,
  };
}

/**
 * Where the runs of a check start: at the available locations of its list. If none is available, they wait at those of
 * the list (docs/decisions/0098): another place may see another network, and its failures would not be the target's.
 * @param locations of the check; [] = this server's own
 * @param served codes of the available locations, this server's own first
 */
export function placesOf(locations: readonly string[], served: readonly string[]): readonly string[] {
  if (locations.length === 0) return served.slice(0, 1);
  const named = [...new Set(locations)];
  const available = named.filter((code) => served.includes(code));
  return available.length > 0 ? available : named;
}

/** The location for a time (epoch ms): round robin, derived from the time alone. */
export function oneOf(locations: readonly string[], at: number, intervalMs: number): readonly string[] {
  if (locations.length < 2) return locations;
  const index = Math.floor(at / intervalMs) % locations.length;
  return locations.slice(index, index + 1);
}

/** A slot later than this is caught up with gradually, ms: after a restart all checks are late. */
const maxLateMs = 2000;
/** The same as a fraction of the interval, so that slightly late frequent checks do not all start at once. */
const lateShare = 0.1;
const reserveMs = 500;

/**
 * When the run of a slot may start. On time: at its slot. Late: within the rest of the slot, spread by the check's
 * phase to avoid a burst after a restart; half a second is reserved so that it starts within its slot.
 */
function startOf({ intervalMs, phaseMs }: Schedule, slotAt: number, now: number): number {
  if (now - slotAt < Math.min(maxLateMs, intervalMs * lateShare)) return slotAt;
  const leftMs = slotAt + intervalMs - now;
  return now + Math.floor(((phaseMs % 1009) / 1009) * Math.max(0, leftMs - reserveMs));
}
