// What a due schedule becomes: the run of the slot that is now, and a record of the slots that can no longer be run.

/** When and where a check runs. Instants are epoch ms. */
export interface Schedule {
  readonly accountId: string;
  readonly checkId: string;
  /** The oldest slot without an outcome. */
  readonly nextDueAt: number;
  readonly intervalMs: number;
  readonly phaseMs: number;
  /** Run location codes; empty = this server's own. */
  readonly locations: readonly string[];
  readonly runParallel: boolean;
  /** Counts the rounds, for round robin. */
  readonly turn: number;
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
  readonly nextDueAt: number;
  readonly turn: number;
}

/**
 * The plan of a schedule that is due at `now` (epoch ms). A slot can be run until the next one begins; older ones are
 * missed. Locations that nobody serves any more fall back to this server's own.
 */
export function planRuns(schedule: Schedule, now: number, served: readonly string[]): RunPlan {
  const { nextDueAt, intervalMs, turn } = schedule;
  const known = [...new Set(schedule.locations)].filter((code) => served.includes(code));
  const all = known.length > 0 ? known : served.slice(0, 1);
  const locations = schedule.runParallel ? all : all.slice(turn % all.length, (turn % all.length) + 1);
  const over = Math.max(0, Math.floor((now - nextDueAt) / intervalMs));
  const slotAt = nextDueAt + over * intervalMs;
  const dueAt = startOf(schedule, slotAt, now);
  return {
    runs: locations.map((location) => ({ slotAt, dueAt, location })),
    missed: over === 0 ? [] : locations.map((location) => ({ slotAt: nextDueAt, slots: over, location })),
    nextDueAt: slotAt + intervalMs,
    turn: turn + 1,
  };
}

/** Later than this a slot is caught up with, ms: after a restart every check is. */
const lateMs = 2000;
const reserveMs = 500;

/**
 * When the run of a slot may start. On time: at its slot. Late: within what is left of the slot, spread by the check's
 * phase, so that a restart brings no herd; half a second is kept so that it still starts within its slot.
 */
function startOf({ intervalMs, phaseMs }: Schedule, slotAt: number, now: number): number {
  if (now - slotAt < lateMs) return slotAt;
  const leftMs = slotAt + intervalMs - now;
  return now + Math.floor(((phaseMs % 1009) / 1009) * Math.max(0, leftMs - reserveMs));
}
