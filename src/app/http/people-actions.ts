// Builds the actions of people: sign-in, sessions, second factors, invitations and identities.
import { createIdentityActions } from '#actions/accounts/identities.ts';
import { createInviteActions } from '#actions/accounts/invites.ts';
import { createReadMe } from '#actions/accounts/me.ts';
import { createPasswordResetActions } from '#actions/accounts/password-resets.ts';
import { createPeopleActions } from '#actions/accounts/people.ts';
import { createSecondFactorActions } from '#actions/accounts/second-factors.ts';
import { createSessionActions } from '#actions/accounts/sessions.ts';
import { createSetupActions } from '#actions/accounts/setup.ts';
import { version } from '#config/version.ts';
import type { ActionDeps } from './deps.ts';

/** People, their sessions and invitations. */
export function peopleOf(
  { config, store, passwords, mails, provider, providerFlows, publicUrl, ownProcess, clock, log }: ActionDeps,
  forgetUser: (id: string) => void,
) {
  const { serverTimeZone } = config;
  const deps = { ...store, serverTimeZone, passwords, mail: mails?.send ?? null, publicUrl, forgetUser, clock };
  const invites = createInviteActions(deps);
  return {
    readMe: createReadMe({ accounts: store.accounts, version, startedAt: ownProcess.startedAt, serverTimeZone }),
    setup: createSetupActions(deps),
    sessions: createSessionActions(deps),
    secondFactors: createSecondFactorActions(deps),
    passwordResets: createPasswordResetActions({ ...deps, mailReset: mails?.sendReset ?? null }),
    people: createPeopleActions(deps),
    invites,
    identities: createIdentityActions({ ...deps, provider, flows: providerFlows, invites, log }),
  };
}
