// Multi-step checks: a script of requests and assertions, as Playwright tests or as a plain program (reference §4.3).
import type { Runtime } from '#domain/checks/runtime.ts';
import type { ScriptedKind } from '../../kind.ts';
import { describeScripted } from '../../parts/scripted/describe.ts';
import { programLimits as limits } from '#domain/checks/script.ts';
import { createScriptedProbe } from '../../parts/scripted/probe.ts';
import { scriptProblems } from '../../parts/scripted/settings.ts';
import { multiStepSchema } from './schema.ts';

function refusesRuntime({ name, multiStepSupport }: Runtime): string | null {
  return multiStepSupport ? null : `runtime ${name} does not support multi-step checks; choose another`;
}

export const multiStepKind: ScriptedKind<typeof multiStepSchema> = {
  schema: multiStepSchema,
  isScripted: true,
  refusesRuntime,
  createProbe: (deps) => createScriptedProbe(deps, { limits, refuses: refusesRuntime }),
  validateSettings: scriptProblems,
  describeResult: ({ details }, exchange) => describeScripted(details, exchange),
  measures: { statusCode: false, phases: [] },
  alertFacts: () => ({ url: null, status: null, statusText: null }),
};
