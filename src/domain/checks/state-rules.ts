// Under which settings the results of a check are folded into its state.
import { escalationOf, remindersOf } from '../alerts/alert-settings.ts';
import type { StateRules } from './check-state.ts';
import { effectiveCheck } from './effective-check.ts';
import { readHeartbeat } from './heartbeat.ts';
import type { TimeSpan } from './calendar.ts';
import { lastPause, type Maintenance, maintenanceAt, type NamedCheck, noMaintenance } from './maintenance-window.ts';
import type { CheckContext, EndedAttempt } from '../results/recording.ts';
import { intervalMs } from './slot.ts';
import { hasOtherRequest, hasOtherTarget } from './target.ts';

/** What the windows of its account, and a mute that ends by itself, mean for a check now (epoch ms). */
export function maintenanceOf({ check, group, maintenanceWindows }: CheckContext, now: number): Maintenance {
  const isMuted = now < Math.max(check.mutedUntil ?? 0, group?.mutedUntil ?? 0);
  if (maintenanceWindows.length === 0) return isMuted ? { ...noMaintenance, isSilenced: true } : noMaintenance;
  const maintenance = maintenanceAt(maintenanceWindows, namedCheck(check, group), now);
  return isMuted ? { ...maintenance, isSilenced: true } : maintenance;
}

/** The last time in which windows did not run a check, that a part of `span` lies in; null = none. */
export function pausedIn({ check, group, maintenanceWindows }: CheckContext, span: TimeSpan): TimeSpan | null {
  return lastPause(maintenanceWindows, namedCheck(check, group), span);
}

function namedCheck(check: CheckContext['check'], group: CheckContext['group']): NamedCheck {
  return { id: check.id, groupId: group?.id ?? null, tags: [...check.tags, ...(group?.tags ?? [])] };
}

/** @param locations run locations that are served; none = the check has no more than one */
export function stateRulesOf(
  { check, group, accountAlertSettings }: CheckContext,
  locations: readonly string[],
  maintenance: Maintenance,
): StateRules {
  const effective = effectiveCheck(check, group);
  const own = effective.useGlobalAlertSettings ? null : effective.alertSettings;
  const settings = own ?? accountAlertSettings;
  // One that is named twice has one answer.
  const all = [...new Set(effective.locations)].filter((code) => locations.includes(code));
  const threshold = settings?.parallelRunFailureThreshold;
  return {
    escalation: escalationOf([own, accountAlertSettings]),
    isMuted: effective.muted || maintenance.isSilenced,
    reminders: remindersOf(settings),
    parallel:
      effective.runParallel && all.length > 1
        ? { locations: all, failingShare: threshold?.enabled === true ? (threshold.percentage || 10) / 100 : null }
        : null,
  };
}

/**
 * An ended attempt as it is judged when it is recorded: by the settings that hold then. If its check is deactivated or paused
 * by then, or has another request, it moves no state and alerts nobody (docs/decisions/0103).
 *
 * @param context its check as stored now; null = it is deleted
 * @param locations run locations that are served
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
    // Another target has asked for its run already, and a quiet run has left nothing to be judged.
    ...(isOutdated &&
      !isOff &&
      attempt.isQuiet !== true &&
      !hasOtherTarget(before.check, context.check) && { runsAgain: true }),
  };
}

/**
 * Under which settings a state is judged when no result has come (docs/decisions/0100); null = its check is deactivated, and
 * nobody looks at it.
 *
 * @param locations run locations that are served
 * @param now epoch ms
 * @returns also how often the check is looked at, ms
 */
export function standingRulesOf(
  context: CheckContext,
  locations: readonly string[],
  now: number,
): { readonly rules: StateRules; readonly everyMs: number } | null {
  const { check, group } = context;
  if (!effectiveCheck(check, group).activated) return null;
  const isCalled = check.checkType === 'HEARTBEAT';
  const { periodMs, graceMs } = readHeartbeat(check.settings);
  return {
    rules: {
      ...stateRulesOf(context, isCalled ? [] : locations, maintenanceOf(context, now)),
      // They come with results (docs/decisions/0022).
      reminders: null,
    },
    everyMs: isCalled ? periodMs + graceMs : intervalMs(check.frequency, check.frequencyOffset),
  };
}
