// URL checks: check the status of a URL (reference §4.3). A simple form of API checks.
import type { JsonObject } from '#domain/json.ts';
import { assertionProblems, timeProblems } from '../../parts/assertions/validate.ts';
import { describeHttp, httpAlertFacts, httpMeasures } from '../../parts/http/details.ts';
import type { HttpKind } from '../../parts/http/plan.ts';
import { createHttpProbe } from '../../parts/http/probe.ts';
import { type HttpSettings, noDefaults, plainRequest } from '../../parts/http/schema.ts';
import { urlProblem, httpUses } from '../../parts/http/request.ts';
import { httpWarnings } from '../../parts/http/warn.ts';
import type { CheckKind } from '../../kind.ts';
import { readerOf } from '../../schema.ts';
import { sources, urlSchema } from './schema.ts';

const read = readerOf(urlSchema);

/** Reads the settings of a URL check. Group defaults do not apply. */
function readUrlSettings(settings: JsonObject): HttpSettings {
  const { request, ...times } = read(settings);
  return { ...plainRequest, ...request, sslCheckDomain: null, ...times };
}

const http: HttpKind = { read: readUrlSettings, defaultsOf: () => noDefaults, sources };

export const urlKind: CheckKind<typeof urlSchema> = {
  schema: urlSchema,
  createProbe: (deps) => createHttpProbe(deps, http),
  validateSettings: (settings) => {
    const own = readUrlSettings(settings);
    const problem = urlProblem(own.url);
    return [
      ...(problem === null ? [] : [{ path: 'request.url', message: problem }]),
      ...assertionProblems(own.assertions, sources, 'request.assertions'),
      ...timeProblems(own),
    ];
  },
  variableUses: (settings) => httpUses(readUrlSettings(settings), noDefaults, false),
  warnSettings: (settings, shouldFail) => httpWarnings(readUrlSettings(settings), shouldFail),
  describeResult: describeHttp,
  measures: httpMeasures,
  alertFacts: httpAlertFacts,
};
