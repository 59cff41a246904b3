// Browser checks: a script that drives a Chromium, as tests of Playwright or as a plain program (reference §4.3).
import type { ScriptedKind } from '../../kind.ts';
import { describeBrowser } from '../../parts/scripted/describe.ts';
import { browserLimits as limits } from '#domain/checks/script-limits.ts';
import { besideBrowser as beside, besideProblems, besideUses } from '../../parts/scripted/beside.ts';
import { createScriptedProbe } from '../../parts/scripted/probe.ts';
import { scriptProblems } from '../../parts/scripted/settings.ts';
import { browserSchema } from './schema.ts';

export const browserKind: ScriptedKind<typeof browserSchema> = {
  schema: browserSchema,
  isScripted: true,
  refusesRuntime: ({ name, dependencies }) =>
    dependencies['playwright'] === undefined ? `runtime ${name} does not include Playwright; choose another` : null,
  beside,
  createProbe: (means) =>
    createScriptedProbe(means, { limits, refuses: browserKind.refusesRuntime, hasBrowser: true, beside }),
  variableUses: besideUses,
  validateSettings: (settings) => [...scriptProblems(settings), ...besideProblems(settings)],
  describeResult: ({ details }, exchange) => describeBrowser(details, exchange),
  measures: { statusCode: false, phases: [] },
  alertFacts: () => ({ url: null, status: null, statusText: null }),
};
