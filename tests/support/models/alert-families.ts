// What may happen to a check in the histories that are explored: a small alphabet for each sort of things that meet.
import type { Escalation, Reminders } from '#domain/alerts/alert-settings.ts';

/** What an attempt or a run finds; `older` is a result of a slot before the newest. */
const results = ['passed', 'degraded', 'failed', 'unknown', 'older'] as const;
/**
 * What is switched over in the middle of it. What hides openings and the reminders begin switched off; of the escalations the first
 * one holds; subscriptions and the switches of the channels are at first as they are.
 */
export const toggles = [
  'mute',
  'window',
  'subscription',
  'escalation',
  'reminders',
  'sendFailure',
  'sendRecovery',
  'sendDegraded',
] as const;
/** An hour of results without a verdict, or without any result. */
export const gaps = ['blind', 'away'] as const;
export type Move = (typeof results)[number] | (typeof toggles)[number] | (typeof gaps)[number] | 'deleted';
/** What was switched over. */
export type Switches = Readonly<Record<(typeof toggles)[number], boolean>>;

export const minute = 60_000;
export const start = Date.UTC(2026, 2, 10);
/** Where the check runs: in the first of them, unless it is tried again elsewhere. */
export const locations = ['l0', 'l1'] as const;

/** The escalation of a check, and another that it is edited to and back. */
export type Escalations = readonly [Escalation, Escalation];

/** Things that may happen to a check, and how it is set. */
export interface Family {
  readonly name: string;
  readonly moves: readonly Move[];
  readonly escalations: Escalations;
  readonly reminders: Reminders;
  /** How often a failed attempt is tried again, and whether at the other location. */
  readonly retries: number;
  readonly isElsewhere: boolean;
  /** How often the check runs, ms: with what goes on each minute, this long nothing that was found is forgotten. */
  readonly everyMs: number;
  /** Whether it matters when there was a result at all. */
  readonly isSparse: boolean;
}

export const afterRuns = (runs: number): Escalation => ({ type: 'RUN_BASED', runs });
export const afterMinutes = (minutes: number): Escalation => ({ type: 'TIME_BASED', ms: minutes * minute });

const plain: Pick<Family, 'reminders' | 'retries' | 'isElsewhere' | 'everyMs' | 'isSparse'> = {
  reminders: { amount: 2, intervalMs: 2 * minute },
  retries: 0,
  isElsewhere: false,
  everyMs: 60 * minute,
  isSparse: false,
};
const verdicts = ['passed', 'degraded', 'failed'] as const;

/** Mutes, windows and edits of everything but the switches of channels. */
export const edits = (escalations: Escalations): Family => ({
  ...plain,
  name: 'edits',
  moves: [...results, 'mute', 'window', 'subscription', 'escalation', 'reminders', 'deleted'],
  escalations,
});

/** The switches of channels are changed in the middle of it. */
export const channelSwitches = (escalations: Escalations): Family => ({
  ...plain,
  name: 'switches',
  moves: [...verdicts, 'mute', 'reminders', 'sendFailure', 'sendRecovery', 'sendDegraded', 'deleted'],
  escalations,
  reminders: { amount: Infinity, intervalMs: minute },
});

/** An open alert is repeated until the recovery. */
export const remindersUntilRecovery = (escalations: Escalations): Family => ({
  ...plain,
  name: 'reminders until recovery',
  moves: [...verdicts, 'unknown', 'mute', 'subscription', 'escalation', 'reminders', 'deleted'],
  escalations,
  reminders: { amount: Infinity, intervalMs: 2 * minute },
});

/** A run is tried again, where it failed or elsewhere; what else happens, happens between its attempts, too. */
export const retries = (escalations: Escalations, count: number, isElsewhere: boolean): Family => ({
  ...plain,
  name: `${count} ${count === 1 ? 'retry' : 'retries'} ${isElsewhere ? 'elsewhere' : 'there'}`,
  moves: [...verdicts, 'unknown', 'mute', 'escalation', 'reminders', 'deleted'],
  escalations,
  retries: count,
  isElsewhere,
});

/** Hours in which nothing is found. */
export const longGaps = (escalations: Escalations): Family => ({
  ...plain,
  name: 'gaps',
  moves: [...verdicts, 'unknown', 'mute', 'escalation', 'reminders', 'blind', 'away', 'deleted'],
  escalations,
  everyMs: minute,
  isSparse: true,
});
