// The rules that the product makes of the settings of a check in the models: mute, windows, alert settings, retries.
import type { AlertSettings, Escalation, Reminders } from '#domain/alerts/alert-settings.ts';
import type { StateRules } from '#domain/checks/check-state.ts';
import type { Check } from '#domain/checks/check.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { maintenanceOf, standingRulesOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import { type Family, locations, minute, start, type Switches } from './alert-families.ts';
import { aCheck, aWindow } from '../store/records.ts';

const accountId = '0198a000-0000-7000-8000-000000000001';

/** What holds for a check. */
export interface Rules {
  readonly check: Check;
  /** With a result. */
  readonly rules: StateRules;
  /** Without one. */
  readonly standing: StateRules;
  readonly everyMs: number;
}

/** A window that silences all alerts while it is there. */
const window = aWindow(accountId, { endsAt: 2 * start, silenceAllAlerts: true });

/** How a check is set, and what hides its alerts. */
export interface Setting {
  readonly check: Partial<Check>;
  readonly alertSettings: AlertSettings;
  /** Codes of run locations that are served. */
  readonly served: readonly string[];
  readonly isMuted: boolean;
  readonly isInWindow: boolean;
}

/** The rules of a setting, as the product makes them. */
export function rulesOf({ check: own, alertSettings, served, isMuted, isInWindow }: Setting): Rules {
  const check = aCheck(accountId, {
    locations: [...served],
    useGlobalAlertSettings: false,
    alertSettings,
    muted: isMuted,
    ...own,
  });
  const context: CheckContext = {
    check,
    group: null,
    variables: [],
    accountAlertSettings: null,
    accountRuntimeId: null,
    accountTimeZone: null,
    maintenanceWindows: isInWindow ? [window] : [],
    revision: 1,
  };
  const standing = standingRulesOf(context, served, start);
  if (standing === null) throw new Error('the check is deactivated');
  const rules = stateRulesOf(context, served, maintenanceOf(context, start));
  return { check, rules, standing: standing.rules, everyMs: standing.everyMs };
}

/** As a caller would set it. */
export function alertSettingsOf(escalation: Escalation, reminders: Reminders | null): AlertSettings {
  const again = reminders === null ? {} : { reminders: remindersSetting(reminders) };
  if (escalation.type === 'RUN_BASED') {
    return { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: escalation.runs }, ...again };
  }
  const timeBasedEscalation = { minutesFailingThreshold: escalation.ms / minute };
  return { escalationType: 'TIME_BASED', timeBasedEscalation, ...again };
}

function remindersSetting({ amount, intervalMs }: Reminders): NonNullable<AlertSettings['reminders']> {
  return { amount: amount === Infinity ? 100_000 : amount, interval: intervalMs / minute };
}

/** The rules of a family, for whatever is switched on; made once for each. */
export function createRules(family: Family): (on: Switches) => Rules {
  const { escalations, reminders, retries, isElsewhere, everyMs } = family;
  const made = new Map<number, Rules>();
  const retryStrategy: Check['retryStrategy'] =
    retries === 0
      ? null
      : {
          type: 'FIXED',
          baseBackoffSeconds: 60,
          maxRetries: retries,
          maxDurationSeconds: 600,
          sameRegion: !isElsewhere,
        };
  return (on) => {
    const key = Number(on.mute) + 2 * Number(on.window) + 4 * Number(on.escalation) + 8 * Number(on.reminders);
    const known = made.get(key);
    if (known !== undefined) return known;
    const rules = rulesOf({
      check: { frequency: everyMs / minute, retryStrategy },
      alertSettings: alertSettingsOf(escalations[on.escalation ? 1 : 0], on.reminders ? reminders : null),
      served: locations,
      isMuted: on.mute,
      isInWindow: on.window,
    });
    made.set(key, rules);
    return rules;
  };
}
