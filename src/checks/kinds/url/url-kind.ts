// URL checks: check the status of a URL (reference §4.3). A simple form of API checks.
import type { JsonObject } from '#domain/json.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import { describeHttp, httpAlertFacts, httpMeasures } from '../../parts/http/describe.ts';
import type { HttpKind } from '../../parts/http/plan.ts';
import { createHttpProbe } from '../../parts/http/probe.ts';
import { type ApiSettings, noDefaults, readSettings } from '../../parts/http/settings.ts';
import { urlProblem } from '../../parts/http/validate.ts';
import { httpUses } from '../../parts/http/uses.ts';
import { httpWarnings } from '../../parts/http/warn.ts';
import type { CheckKind } from '../../kind.ts';
import { object, positive } from '../../parts/read.ts';
import { sources, urlSchema } from './schema.ts';

/** Reads the fields of a URL check and defaults the rest. Group defaults do not apply. */
function readUrlSettings(settings: JsonObject): ApiSettings {
  const {
    url = '',
    followRedirects = true,
    skipSSL = false,
    ipFamily = null,
    assertions = [],
  } = object(settings['request']);
  return {
    ...readSettings({ request: { url, followRedirects, skipSSL, ipFamily, assertions } }),
    degradedResponseTime: positive(settings['degradedResponseTime'], 3000),
    maxResponseTime: positive(settings['maxResponseTime'], 5000),
  };
}

const http: HttpKind = { read: readUrlSettings, defaultsOf: () => noDefaults, sources };

export const urlKind: CheckKind<typeof urlSchema> = {
  schema: urlSchema,
  createProbe: (deps) => createHttpProbe(deps, http),
  validateSettings: (settings) => {
    const read = readUrlSettings(settings);
    const problem = urlProblem(read.url);
    return [
      ...(problem === null ? [] : [{ path: 'request.url', message: problem }]),
      ...assertionProblems(read.assertions, sources, 'request.assertions'),
      ...timeProblems(read),
    ];
  },
  variableUses: (settings) => httpUses(readUrlSettings(settings), noDefaults, false),
  warnSettings: (settings, shouldFail) => httpWarnings(readUrlSettings(settings), shouldFail),
  describeResult: describeHttp,
  measures: httpMeasures,
  alertFacts: httpAlertFacts,
};
