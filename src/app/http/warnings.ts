// Warnings about settings that are saved, from the kinds of checks.
import {
  createMissingVariables,
  type MissingVariableDeps,
  type MissingVariables,
} from '#actions/checks/missing-variables.ts';
import type { SettingsWarnings } from '#actions/warnings.ts';
import { defaultsWarnings } from '#checks/parts/http/warn.ts';
import { kindOf } from '#checks/check-kinds.ts';

export const settingsWarnings: SettingsWarnings = {
  ofCheck: ({ checkType, settings, shouldFail }, apiCheckDefaults) =>
    kindOf(checkType).warnSettings?.(settings, shouldFail, apiCheckDefaults) ?? [],
  ofDefaults: defaultsWarnings,
};

/** A setup script may set the variables that it mentions, and a snippet any. */
const variableUses: MissingVariableDeps['variableUses'] = ({ checkType, settings }, group) => {
  const kind = kindOf(checkType);
  const uses = kind.variableUses?.(settings, group?.apiCheckDefaults ?? null) ?? [];
  if (typeof (settings['setupSnippetId'] ?? group?.setupSnippetId ?? null) === 'number') return [];
  const scripts = kind.hooks === undefined ? [] : [settings['localSetupScript'], group?.localSetupScript];
  const text = scripts.filter((script) => typeof script === 'string').join('\n');
  return uses.filter(({ name }) => !text.includes(name));
};

/** @param store the tables of checks and variables */
export function composeMissingVariables(store: Omit<MissingVariableDeps, 'variableUses'>): MissingVariables {
  return createMissingVariables({ ...store, variableUses });
}
