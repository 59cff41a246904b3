// What a due schedule becomes: the run of the slot that is now, and a record of the slots that can no longer be run.

/** When and where a check runs. Instants are epoch ms. */
export interface Schedule {
  /** The oldest slot without an outcome. */
  readonly nextDueAt: number;
  /** Slots after it are planned another time; never after the present. */
  readonly until: number;
  readonly intervalMs: number;
  readonly phaseMs: number;
  /** Run location codes; empty = this server's own. */
  readonly locations: readonly string[];
  readonly runParallel: boolean;
}

/** Slots in a row that were not run: `slots` of them, the first at `slotAt`, `intervalMs` apart. */
export interface MissedStretch {
  readonly slotAt: number;
  readonly slots: number;
  readonly location: string;
}

/** What a due schedule becomes. */
export interface RunPlan {
  readonly runs: readonly { readonly slotAt: number; readonly dueAt: number; readonly location: string }[];
  readonly missed: readonly MissedStretch[];
  /** The first slot after those. */
  readonly nextDueAt: number;
}

/**
 * The plan of a schedule that is due at `now` (epoch ms). A slot can be run until the next one begins; older ones are
 * missed. Locations that nobody serves any more fall back to this server's own.
 */
export function planRuns(schedule: Schedule, now: number, served: readonly string[]): RunPlan {
  const { nextDueAt, until, intervalMs, runParallel } = schedule;
  const all = servedOf(schedule.locations, served);
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

/** Which of a check's locations are served; this server's own when none is. */
export function servedOf(locations: readonly string[], served: readonly string[]): readonly string[] {
  const known = locations.length === 0 ? [] : [...new Set(locations)].filter((code) => served.includes(code));
  return known.length > 0 ? known : served.slice(0, 1);
}

/** The location whose turn it is at an instant (epoch ms): slots go round, which follows from the time alone. */
export function oneOf(locations: readonly string[], at: number, intervalMs: number): readonly string[] {
  if (locations.length < 2) return locations;
  const index = Math.floor(at / intervalMs) % locations.length;
  return locations.slice(index, index + 1);
}

/** Later than this a slot is caught up with, ms: after a restart every check is. */
const lateMostMs = 2000;
/** The same as a share of the interval: of checks that run often, those just late would be a herd by themselves. */
const lateShare = 0.1;
const reserveMs = 500;

/**
 * When the run of a slot may start. On time: at its slot. Late: within what is left of the slot, spread by the check's
 * phase, so that a restart brings no herd; half a second is kept so that it still starts within its slot.
 */
function startOf({ intervalMs, phaseMs }: Schedule, slotAt: number, now: number): number {
  if (now - slotAt < Math.min(lateMostMs, intervalMs * lateShare)) return slotAt;
  const leftMs = slotAt + intervalMs - now;
  return now + Math.floor(((phaseMs % 1009) / 1009) * Math.max(0, leftMs - reserveMs));
}
