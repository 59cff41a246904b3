// The private routes of the `checkly` command line: they translate to public actions and hold no rules.
import type { InviteActions } from '#actions/accounts/invites.ts';
import type { VariableActions } from '#actions/accounts/variables.ts';
import type { PrivateLocationActions } from '#actions/locations/private-locations.ts';
import type { ProjectActions } from '#actions/projects/projects.ts';
import type { AnalyticsActions } from '#actions/results/analytics.ts';
import type { CheckResultActions } from '#actions/results/check-results.ts';
import type { ScriptFileActions } from '#actions/checks/script-files.ts';
import type { PeopleActions } from '#actions/accounts/people.ts';
import type { Route } from '../route.ts';
import { type CliAccountDeps, cliAccountRoutes, cliVariableRoutes, cliMemberRoutes } from './accounts.ts';
import { type CliTestSessionDeps, cliTestSessionRoutes, cliStorageRoutes } from './test-sessions.ts';
import { cliProjectRoutes } from './projects/projects.ts';
import { cliAnalyticsRoutes, cliResultRoutes } from './results.ts';

export interface VendorDeps extends CliAccountDeps, CliTestSessionDeps {
  readonly checkResults: CheckResultActions;
  readonly analytics: AnalyticsActions;
  readonly people: PeopleActions;
  readonly invites: InviteActions;
  readonly variables: VariableActions;
  readonly projects: ProjectActions;
  readonly privateLocations: PrivateLocationActions;
  readonly scriptFiles: ScriptFileActions;
}

export function vendorRoutes(deps: VendorDeps): Route[] {
  return [
    ...cliAccountRoutes(deps),
    ...cliMemberRoutes(deps.people, deps.invites),
    ...cliResultRoutes(deps.checkResults),
    ...cliAnalyticsRoutes(deps.analytics),
    ...cliTestSessionRoutes(deps),
    ...cliStorageRoutes(deps.scriptFiles),
    ...cliVariableRoutes(deps.variables),
    ...cliProjectRoutes(deps.projects, deps.privateLocations),
  ];
}
