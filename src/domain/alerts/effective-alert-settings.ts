// The alert settings in effect for a check, and who decides them: check, group or account (docs/alerting.md).
import type { CheckGroup } from '../checks/check-group.ts';
import type { Check } from '../checks/check.ts';
import { type AlertSettings, setsEscalation } from './alert-settings.ts';

/** Who decides a setting. `default` = nobody. */
export type SettingsSource = 'check' | 'group' | 'account' | 'default';

export interface EffectiveAlertSettings {
  readonly settings: AlertSettings;
  /** Who decides reminders and the share of failing locations. */
  readonly source: SettingsSource;
  /** Who decides when a failure is alerted. */
  readonly escalationSource: SettingsSource;
}

type Own = Pick<Check, 'useGlobalAlertSettings' | 'alertSettings'>;
type OfGroup = Pick<CheckGroup, 'useGlobalAlertSettings' | 'alertSettings'>;

/**
 * Settings are not merged, but for an escalation that the deciding level does not set: it is the account's.
 * @param account null = the account sets nothing
 */
export function effectiveAlertSettings(
  check: Own,
  group: OfGroup | null,
  account: AlertSettings | null,
): EffectiveAlertSettings {
  const own = decidedBelow(check, group);
  const ofAccount = account === null ? null : ({ settings: account, source: 'account' } as const);
  const decider = own ?? ofAccount ?? { settings: {}, source: 'default' as const };
  const escalation = [own, ofAccount].find((level) => setsEscalation(level?.settings ?? null)) ?? null;
  const { reminders, parallelRunFailureThreshold } = decider.settings;
  const { escalationType, runBasedEscalation, timeBasedEscalation } = escalation?.settings ?? {};
  return {
    settings: {
      ...(escalationType !== undefined && { escalationType }),
      ...(runBasedEscalation !== undefined && { runBasedEscalation }),
      ...(timeBasedEscalation !== undefined && { timeBasedEscalation }),
      ...(reminders !== undefined && { reminders }),
      ...(parallelRunFailureThreshold !== undefined && { parallelRunFailureThreshold }),
    },
    source: decider.source,
    escalationSource: escalation?.source ?? 'default',
  };
}

interface Level {
  readonly settings: AlertSettings;
  readonly source: SettingsSource;
}

/** The settings of the group or check; null = those of the account apply. */
function decidedBelow(check: Own, group: OfGroup | null): Level | null {
  const isOfGroup = group !== null && group.useGlobalAlertSettings !== null;
  const isGlobal = isOfGroup ? group.useGlobalAlertSettings : check.useGlobalAlertSettings;
  if (isGlobal) return null;
  if (isOfGroup && group.alertSettings !== null) return { settings: group.alertSettings, source: 'group' };
  return check.alertSettings === null ? null : { settings: check.alertSettings, source: 'check' };
}
