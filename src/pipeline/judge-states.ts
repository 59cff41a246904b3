// States that no result will move for now are judged by the rules of the present: what a window, a mute or an escalation held
// back becomes an alert and deliveries once it is due, in one durable commit (docs/decisions/0100).
import { type CheckState, judgeState, type StateRules, type StateStep } from '#domain/checks/check-state.ts';
import type { CheckContext, DeliveryFacts, EndedAttempt, Prepared } from '#domain/results/recording.ts';
import { standingRulesOf } from '#domain/checks/state-rules.ts';
import type { Clock } from '#lib/clock.ts';

/** A state that is not told as it stands. */
interface StandingState {
  readonly state: CheckState;
  readonly context: CheckContext;
  readonly lookedAt: number | null;
}

interface DueAlert {
  readonly opens: NonNullable<StateStep['opens']>;
  readonly rules: StateRules;
}

/** What this step needs of the store. */
interface StateStore<Place, Opened> {
  judgeStates(rules: {
    readonly now: number;
    readonly after: Place | null;
    readonly judge: (standing: StandingState) => DueAlert | null;
    readonly render: (facts: DeliveryFacts) => Prepared;
    readonly statusOf: (attempt: EndedAttempt) => number | null;
  }): Promise<{ readonly opened: readonly Opened[]; readonly next: Place | null }>;
}

/** What the step is joined with. */
export interface JudgeStatesOptions<Place, Opened> {
  readonly store: StateStore<Place, Opened>;
  readonly clock: Clock;
  /** Run locations that are served. */
  readonly locations: () => readonly string[];
  readonly render: (facts: DeliveryFacts) => Prepared;
  readonly statusOf: (attempt: EndedAttempt) => number | null;
  /** Told of each alert that was opened. */
  readonly onOpened: (opened: Opened) => void;
}

/** Between two slices: what else there is to do goes first, ms. */
const betweenMs = 15;
/** The same while alerts are opened: they are late already, ms. */
const openingMs = 5;
/** After the last slice, for each that there was, ms: it costs little, however many stay muted. */
const restMs = 20;
const [shortestRestMs, longestRestMs] = [1000, 4000] as const;

/** One turn of the step is a slice; answers in how many ms the next is wanted. */
export function createJudgeStates<Place, Opened>(options: JudgeStatesOptions<Place, Opened>): () => Promise<number> {
  const { store, clock, render, statusOf } = options;
  let after: Place | null = null;
  let slices = 0;
  return async () => {
    const now = clock.now();
    const locations = options.locations();
    const judge = (standing: StandingState): DueAlert | null => judgeOne(standing, now, locations);
    const { opened, next } = await store.judgeStates({ now, after, judge, render, statusOf });
    for (const one of opened) options.onOpened(one);
    after = next;
    slices++;
    if (next !== null) return opened.length > 0 ? openingMs : betweenMs;
    const rest = Math.min(Math.max(slices * restMs, shortestRestMs), longestRestMs);
    slices = 0;
    return rest;
  };
}

function judgeOne(
  { state, context, lookedAt }: StandingState,
  now: number,
  locations: readonly string[],
): DueAlert | null {
  const standing = standingRulesOf(context, locations, now);
  if (standing === null) return null;
  const { rules, everyMs } = standing;
  const opens = judgeState(state, rules, { now, everyMs, lookedAt });
  return opens === null ? null : { opens, rules };
}
