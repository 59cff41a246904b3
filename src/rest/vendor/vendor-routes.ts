// The private routes of the `checkly` command line: they translate to public actions and hold no rules.
import type { InviteActions } from '#actions/accounts/invites.ts';
import type { VariableActions } from '#actions/accounts/variables.ts';
import type { ProjectActions } from '#actions/projects/projects.ts';
import type { PeopleActions } from '#actions/accounts/people.ts';
import type { Route } from '../route.ts';
import { type CliAccountDeps, cliAccountRoutes } from './accounts.ts';
import { cliMemberRoutes } from './members.ts';
import { type CliTestSessionDeps, cliTestSessionRoutes } from './test-sessions.ts';
import { cliVariableRoutes } from './variables.ts';
import { cliProjectRoutes } from './projects/projects.ts';
import { type CliResultDeps, cliResultRoutes } from './results.ts';

export interface VendorDeps extends CliAccountDeps, CliResultDeps, CliTestSessionDeps {
  readonly people: PeopleActions;
  readonly invites: InviteActions;
  readonly variables: VariableActions;
  readonly projects: ProjectActions;
}

export function vendorRoutes(deps: VendorDeps): Route[] {
  return [
    ...cliAccountRoutes(deps),
    ...cliMemberRoutes(deps.people, deps.invites),
    ...cliResultRoutes(deps),
    ...cliTestSessionRoutes(deps),
    ...cliVariableRoutes(deps.variables),
    ...cliProjectRoutes(deps.projects),
  ];
}
