// Evaluates states without new results: raises alerts that a window, a mute or an escalation delayed, notifies channels
// that waited, and sends what they receive about flapping checks, in one durable commit (docs/decisions/0100, 0138, 0145).
import { type CheckState, judgeState, type StateRules, type StateStep } from '#domain/checks/check-state.ts';
import type { CheckContext, NotificationRules } from '#domain/results/recording.ts';
import { isMutedUntilRecovery } from '#domain/checks/effective-check.ts';
import { standingRulesOf } from '#domain/checks/state-rules.ts';
import type { Clock } from '#lib/clock.ts';

/** A state whose alert was not sent yet. */
interface StandingState {
  readonly state: CheckState;
  readonly context: CheckContext;
  readonly judgedAt: number | null;
  /** When time can cause a message about its flapping, epoch ms; null = never. */
  readonly flappingDueAt: number | null;
  /** When the first channel that waits is notified of the open alert, epoch ms; null = none waits. */
  readonly escalatesAt: number | null;
  readonly passedAt: number | null;
}

interface DueAlert {
  /** null = only an escalation or its flapping is due. */
  readonly opens: StateStep['opens'];
  readonly rules: StateRules;
  readonly everyMs: number;
  readonly isFlappingDue: boolean;
  readonly isEscalationDue: boolean;
}

interface StateStore<Cursor, Opened> {
  judgeStates(
    rules: NotificationRules & {
      readonly now: number;
      readonly after: Cursor | null;
      readonly judge: (standing: StandingState) => DueAlert | null;
    },
  ): Promise<{ readonly opened: readonly Opened[]; readonly next: Cursor | null }>;
}

export interface JudgeStatesOptions<Cursor, Opened> extends NotificationRules {
  readonly store: StateStore<Cursor, Opened>;
  readonly clock: Clock;
  /** Available run locations. */
  readonly locations: () => readonly string[];
  /** Ends mutes of groups that have recovered. Called after the last slice. Absent = none ends. */
  readonly endGroupMutes?: (() => Promise<void>) | undefined;
  /** Called for each new alert. */
  readonly onOpened: (opened: Opened) => void;
}

/** Pause between two slices, so that other work has priority, ms. */
const betweenMs = 15;
/** The same while alerts are being raised, which are late already, ms. */
const openingMs = 5;
/** Pause after the last slice, for each slice, ms; cheap even if many checks stay muted. */
const restMs = 20;
const [shortestRestMs, longestRestMs] = [1000, 4000] as const;

/** One tick processes a slice. Returns the delay until the next one, ms. */
export function createJudgeStates<Cursor, Opened>(options: JudgeStatesOptions<Cursor, Opened>): () => Promise<number> {
  const { store, clock, render, statusOf, isDigested, isBrief } = options;
  let after: Cursor | null = null;
  let slices = 0;
  return async () => {
    const now = clock.now();
    const locations = options.locations();
    const judge = (standing: StandingState): DueAlert | null => judgeOne(standing, now, locations);
    const { opened, next } = await store.judgeStates({ now, after, judge, render, statusOf, isDigested, isBrief });
    for (const one of opened) options.onOpened(one);
    after = next;
    slices++;
    if (next !== null) return opened.length > 0 ? openingMs : betweenMs;
    await options.endGroupMutes?.();
    const rest = Math.min(Math.max(slices * restMs, shortestRestMs), longestRestMs);
    slices = 0;
    return rest;
  };
}

function judgeOne(
  { state, context, judgedAt, flappingDueAt, escalatesAt, passedAt }: StandingState,
  now: number,
  locations: readonly string[],
): DueAlert | null {
  const standing = standingRulesOf(context, locations, now);
  const { everyMs, isActive } = standing;
  const isMuted = standing.rules.isMuted || isMutedUntilRecovery(context, passedAt);
  const rules: StateRules = { ...standing.rules, isMuted };
  const opens = isActive ? judgeState(state, rules, { now, everyMs, judgedAt }) : null;
  const isFlappingDue = flappingDueAt !== null && flappingDueAt <= now;
  const isHeld = !isActive || isMuted || state.alerted === null || state.acknowledgedAt !== null;
  const isEscalationDue = escalatesAt !== null && escalatesAt <= now && !isHeld;
  if (opens === null && !isFlappingDue && !isEscalationDue) return null;
  return { opens, rules, everyMs, isFlappingDue, isEscalationDue };
}
