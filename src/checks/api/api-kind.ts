// API checks: a request of any method, scripts around it, and assertions on all of its answer (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import type { Result } from '#domain/result.ts';
import type { CheckKind } from '../kind.ts';
import { describeHttp, httpAlertFacts, httpMeasures } from '../http/describe.ts';
import { decodeDetails } from '../http/details.ts';
import { createHttpExchange } from '../http/exchange.ts';
import { createHttpProbe } from '../http/probe.ts';
import { createAroundProbe } from './around-probe.ts';
import { hasScriptsAround } from './around-scripts.ts';
import { http } from './http.ts';
import { validateApiSettings } from './validate-settings.ts';

export const apiKind: CheckKind = {
  createProbe: (means) => createHttpProbe(means, http),
  around: {
    has: hasScriptsAround,
    createExchange: (means) => createHttpExchange(means, http),
    createProbe: createAroundProbe,
  },
  validateSettings: validateApiSettings,
  describeResult: (result, exchange) => ({
    apiCheckResult: { ...describeHttp(result, exchange), ...describeScripts(result, exchange), jobAssets: null },
  }),
  measures: httpMeasures,
  alertFacts: httpAlertFacts,
};

/** What the scripts around the request did; null where there were none. */
function describeScripts({ details }: Pick<Result, 'details'>, exchange: JsonObject | null): JsonObject {
  const { scripts } = decodeDetails(details);
  if (scripts === undefined) return { scripts: null, jobLog: null };
  const { runtime, node, warnings, runs } = scripts;
  return {
    scripts: { runtimeVersion: runtime, nodeJsVersion: node, warnings, runs: runs.map((run) => ({ ...run })) },
    jobLog: exchange?.['log'] ?? null,
  };
}
