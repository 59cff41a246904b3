// The private routes of the `checkly` command line: they translate to public actions and hold no rules.
import type { InviteActions } from '#actions/accounts/invites.ts';
import type { PeopleActions } from '#actions/accounts/people.ts';
import type { Route } from '../route.ts';
import { type CliAccountDeps, cliAccountRoutes } from './accounts.ts';
import { cliMemberRoutes } from './members.ts';

export interface VendorDeps extends CliAccountDeps {
  readonly people: PeopleActions;
  readonly invites: InviteActions;
}

export function vendorRoutes(deps: VendorDeps): Route[] {
  return [...cliAccountRoutes(deps), ...cliMemberRoutes(deps.people, deps.invites)];
}
