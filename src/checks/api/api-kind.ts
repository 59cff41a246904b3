// API checks: a request of any method, and assertions on all of its answer (reference §4.3).
import type { CheckKind } from '../kind.ts';
import { describeHttp, httpAlertFacts } from '../http/describe.ts';
import type { HttpKind } from '../http/plan.ts';
import { createHttpProbe } from '../http/probe.ts';
import { httpSources, readDefaults, readSettings } from '../http/settings.ts';
import { validateApiSettings } from './validate-settings.ts';

const http: HttpKind = {
  read: readSettings,
  defaultsOf: (group) => readDefaults(group?.apiCheckDefaults ?? {}),
  sources: httpSources,
};

export const apiKind: CheckKind = {
  createProbe: (means) => createHttpProbe(means, http),
  validateSettings: validateApiSettings,
  describeResult: (result, exchange) => ({
    apiCheckResult: { ...describeHttp(result, exchange), jobLog: null, jobAssets: null },
  }),
  alertFacts: httpAlertFacts,
};
