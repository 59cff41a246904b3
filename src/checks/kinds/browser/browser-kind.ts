// Browser checks: a script that drives Chromium, as Playwright tests or as a plain program (reference §4.3).
import type { ScriptedKind } from '../../kind.ts';
import { describeBrowser } from '../../parts/scripted/describe.ts';
import { browserLimits as limits } from '#domain/checks/script.ts';
import { certificateProbe as sideProbe, sideProbeProblems, sideProbeUses } from '../../parts/scripted/side-probe.ts';
import { createScriptedProbe } from '../../parts/scripted/probe.ts';
import { scriptProblems } from '../../parts/scripted/settings.ts';
import { browserSchema } from './schema.ts';

export const browserKind: ScriptedKind<typeof browserSchema> = {
  schema: browserSchema,
  isScripted: true,
  refusesRuntime: ({ name, dependencies }) =>
    dependencies['playwright'] === undefined ? `runtime ${name} does not include Playwright; choose another` : null,
  sideProbe,
  createProbe: (deps) =>
    createScriptedProbe(deps, { limits, refuses: browserKind.refusesRuntime, hasBrowser: true, sideProbe }),
  variableUses: sideProbeUses,
  validateSettings: (settings) => [...scriptProblems(settings), ...sideProbeProblems(settings)],
  describeResult: ({ details }, exchange) => describeBrowser(details, exchange),
  measures: { statusCode: false, phases: [] },
  alertFacts: () => ({ url: null, status: null, statusText: null }),
};
