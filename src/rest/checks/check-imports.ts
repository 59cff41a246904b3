// Routes of imports: many new checks at once.
import type { CheckImportActions, ImportedCheck } from '#actions/checks/check-imports.ts';
import { anyCheckCreate } from '#contract/checks/check.ts';
import type { Faults } from '#lib/schema/faults.ts';
import { parsed } from '../input.ts';
import { type Route, route } from '../route.ts';
import { inputOf } from './checks.ts';

export function checkImportRoutes(actions: CheckImportActions): Route[] {
  return [
    route('importChecks', async ({ caller, query, body: { checks, dryRun } }) => ({
      checks: await actions.create(caller, checks.map(importedOf), {
        isAutoAssigned: query.autoAssignAlerts,
        isDryRun: dryRun,
      }),
    })),
  ];
}

function importedOf(body: object): ImportedCheck {
  const errors: Faults = {};
  const check = parsed(anyCheckCreate, body, errors);
  return check === undefined ? { errors } : { checkType: check.checkType, input: inputOf(check) };
}
