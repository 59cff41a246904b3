// URL checks: whether an address answers, and with which status (reference §4.3). The light form of an API check.
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

/** Only what a URL check has; the rest as an API check without it. A group gives it nothing. */
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
  createProbe: (means) => createHttpProbe(means, http),
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
