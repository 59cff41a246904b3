// Warnings that the kinds of checks give for what is saved.
import type { SettingsWarnings } from '#actions/warnings.ts';
import { defaultsWarnings } from '#checks/http/warn.ts';
import { checkKinds } from '#checks/registry.ts';

export const settingsWarnings: SettingsWarnings = {
  ofCheck: ({ checkType, settings, shouldFail }) => checkKinds[checkType].warnSettings?.(settings, shouldFail) ?? [],
  ofDefaults: defaultsWarnings,
};
