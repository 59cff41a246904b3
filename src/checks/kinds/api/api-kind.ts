// API checks: an HTTP request with optional scripts and assertions on the response (reference §4.3).
import type { JsonObject } from '#domain/json.ts';
import type { Result } from '#domain/results/result.ts';
import type { CheckKind } from '../../kind.ts';
import { describeHttp, httpAlertFacts, httpMeasures, decodeDetails } from '../../parts/http/details.ts';
import { createHttpExchange } from '../../parts/http/exchange.ts';
import { createHttpProbe } from '../../parts/http/probe.ts';
import { noDefaults, readDefaults } from '../../parts/http/schema.ts';
import { httpUses } from '../../parts/http/request.ts';
import { httpWarnings, inheritedWarnings } from '../../parts/http/warn.ts';
import { createHookProbe } from './hook-probe.ts';
import { hasHookScripts } from './hook-scripts.ts';
import { http, readSettings, validateApiSettings } from './http.ts';
import { apiSchema } from './schema.ts';

export const apiKind: CheckKind<typeof apiSchema> = {
  schema: apiSchema,
  createProbe: (deps) => createHttpProbe(deps, http),
  hooks: {
    has: hasHookScripts,
    createExchange: (deps) => createHttpExchange(deps, http),
    createProbe: createHookProbe,
  },
  validateSettings: validateApiSettings,
  variableUses: (settings, defaults) =>
    httpUses(readSettings(settings), defaults === null ? noDefaults : readDefaults(defaults), false),
  warnSettings: (settings, shouldFail, defaults) => {
    const read = readSettings(settings);
    return [...httpWarnings(read, shouldFail), ...inheritedWarnings(read, shouldFail, defaults)];
  },
  describeResult: (result, exchange) => ({
    ...describeHttp(result, exchange),
    ...describeRest(result, exchange),
    jobAssets: null,
  }),
  measures: httpMeasures,
  alertFacts: httpAlertFacts,
};

/** Result fields about the named certificate and the scripts; null if there were none. */
function describeRest({ details }: Pick<Result, 'details'>, exchange: JsonObject | null): JsonObject {
  const { scripts, certificateProblem = null } = decodeDetails(details);
  if (scripts === undefined) return { certificateProblem, scripts: null, jobLog: null };
  const { runtime, node, warnings, runs } = scripts;
  return {
    certificateProblem,
    scripts: { runtimeVersion: runtime, nodeJsVersion: node, warnings, runs: runs.map((run) => ({ ...run })) },
    jobLog: exchange?.['log'] ?? null,
  };
}
