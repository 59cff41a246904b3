// The settings for folding results into the state of a check.
import { effectiveAlertSettings } from '../alerts/effective-alert-settings.ts';
import { escalationOf, remindersOf } from '../alerts/alert-settings.ts';
import type { StateRules } from './check-state.ts';
import { namedLocations } from './check.ts';
import { effectiveCheck } from './effective-check.ts';
import { readHeartbeat } from './heartbeat.ts';
import type { TimeSpan } from './calendar.ts';
import { lastPause, type Maintenance, maintenanceAt, type NamedCheck, noMaintenance } from './maintenance-window.ts';
import type { CheckContext, EndedAttempt } from '../results/recording.ts';
import { intervalMs } from './schedule.ts';
import { hasOtherRequest, hasOtherTarget } from './target.ts';

/** Effect of the account's windows and of a temporary mute on a check now (epoch ms). */
export function maintenanceOf({ check, group, maintenanceWindows }: CheckContext, now: number): Maintenance {
  const isMuted = now < Math.max(check.mutedUntil ?? 0, group?.mutedUntil ?? 0);
  if (maintenanceWindows.length === 0) return isMuted ? { ...noMaintenance, isSilenced: true } : noMaintenance;
  const maintenance = maintenanceAt(maintenanceWindows, namedCheck(check, group), now);
  return isMuted ? { ...maintenance, isSilenced: true } : maintenance;
}

/** The last pause by windows that overlaps `span`; null = none. */
export function pausedIn({ check, group, maintenanceWindows }: CheckContext, span: TimeSpan): TimeSpan | null {
  return lastPause(maintenanceWindows, namedCheck(check, group), span);
}

function namedCheck(check: CheckContext['check'], group: CheckContext['group']): NamedCheck {
  return { id: check.id, groupId: group?.id ?? null, tags: [...check.tags, ...(group?.tags ?? [])] };
}

/** @param locations available run locations; none = the check has at most one */
export function stateRulesOf(
  { check, group, accountAlertSettings }: CheckContext,
  locations: readonly string[],
  maintenance: Maintenance,
): StateRules {
  const effective = effectiveCheck(check, group);
  const { settings } = effectiveAlertSettings(check, group, accountAlertSettings);
  // Duplicates count once.
  const all = [...new Set(namedLocations(effective))].filter((code) => locations.includes(code));
  const threshold = settings.parallelRunFailureThreshold;
  return {
    escalation: escalationOf([settings]),
    isMuted: effective.muted || maintenance.isSilenced,
    reminders: remindersOf(settings),
    parallel:
      effective.runParallel && all.length > 1
        ? { locations: all, failingShare: threshold?.enabled === true ? (threshold.percentage || 10) / 100 : null }
        : null,
  };
}

/**
 * An ended attempt, evaluated with the settings at the time of recording. If its check was deactivated, paused or given
 * another target meanwhile, it changes no state and sends no alerts (docs/decisions/0103).
 * @param context its check as stored now; null = deleted
 * @param locations available run locations
 * @param now epoch ms
 */
export function judgedNow(
  attempt: EndedAttempt,
  context: CheckContext | null,
  locations: readonly string[],
  now: number,
): EndedAttempt {
  if (context === null || attempt.outcome === 'missed') return attempt;
  const before = attempt.context;
  const maintenance = maintenanceOf(context, now);
  const isPaused = maintenance.isPaused && attempt.run.source !== 'TRIGGER_API';
  const isOff = isPaused || !effectiveCheck(context.check, context.group).activated;
  const isOutdated = hasOtherRequest(before, context);
  return {
    ...attempt,
    context,
    rules: stateRulesOf(context, locations, maintenance),
    ...((isOff || isOutdated) && { isQuiet: true }),
    // The new target has requested its own run, and a quiet run has no effect on the state.
    ...(isOutdated &&
      !isOff &&
      attempt.isQuiet !== true &&
      !hasOtherTarget(before.check, context.check) && { runsAgain: true }),
  };
}

/**
 * The settings for evaluating a state without a new result (docs/decisions/0100). A deactivated check raises none.
 * @param locations available run locations
 * @param now epoch ms
 * @returns also the interval of the check, ms, and whether it is activated
 */
export function standingRulesOf(
  context: CheckContext,
  locations: readonly string[],
  now: number,
): { readonly rules: StateRules; readonly everyMs: number; readonly isActive: boolean } {
  const { check, group } = context;
  const isActive = effectiveCheck(check, group).activated;
  const rules = stateRulesOf(context, check.checkType === 'HEARTBEAT' ? [] : locations, maintenanceOf(context, now));
  return {
    rules: {
      ...rules,
      isMuted: rules.isMuted || !isActive,
      // Certificate alerts are raised with results (docs/decisions/0022).
      reminders: null,
    },
    everyMs: expectedEveryMs(check),
    isActive,
  };
}

/** Time in ms after which a check has a new result: its interval, or the period and grace of a heartbeat. */
export function expectedEveryMs({ checkType, settings, frequency, frequencyOffset }: CheckContext['check']): number {
  if (checkType !== 'HEARTBEAT') return intervalMs(frequency, frequencyOffset);
  const { periodMs, graceMs } = readHeartbeat(settings);
  return periodMs + graceMs;
}
