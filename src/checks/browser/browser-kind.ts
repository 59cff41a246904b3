// Browser checks: a script that drives a Chromium, as tests of Playwright or as a plain program (reference §4.3).
import type { ScriptedKind } from '../kind.ts';
import { describeBrowser } from '../scripted/describe.ts';
import { browserLimits as limits } from '../scripted/limits.ts';
import { createScriptedProbe } from '../scripted/probe.ts';
import { scriptProblems } from '../scripted/settings.ts';

export const browserKind: ScriptedKind = {
  isScripted: true,
  refusesRuntime: ({ name, dependencies }) =>
    dependencies['playwright'] === undefined ? `runtime ${name} has no Playwright; choose another` : null,
  createProbe: (means) => createScriptedProbe(means, { limits, refuses: browserKind.refusesRuntime, hasBrowser: true }),
  validateSettings: scriptProblems,
  describeResult: ({ details }, exchange) => ({ browserCheckResult: describeBrowser(details, exchange) }),
  alertFacts: () => ({ url: null, status: null, statusText: null }),
};
