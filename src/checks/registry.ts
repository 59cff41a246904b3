// The kinds of checks there are: a new kind is a folder and a line here.
import type { CheckType } from '#domain/check.ts';
import { apiAlertFacts, describeApiResult } from './api/describe.ts';
import { createApiProbe } from './api/probe.ts';
import { validateApiSettings } from './api/validate-settings.ts';
import type { CheckKind } from './kind.ts';

/** What each check type does; everything that depends on a type asks here. */
export const checkKinds: Readonly<Record<CheckType, CheckKind>> = {
  API: {
    createProbe: createApiProbe,
    validateSettings: validateApiSettings,
    describeResult: describeApiResult,
    alertFacts: apiAlertFacts,
  },
};
