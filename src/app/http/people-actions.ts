// Builds the actions of people: sign-in, sessions, second factors, invitations and identities.
import { createIdentityActions } from '#actions/accounts/identities.ts';
import { createInviteActions, type SendInvitation } from '#actions/accounts/invites.ts';
import { createReadMe } from '#actions/accounts/me.ts';
import { createPasswordResetActions, type SendPasswordReset } from '#actions/accounts/password-resets.ts';
import { createPeopleActions } from '#actions/accounts/people.ts';
import { createSecondFactorActions } from '#actions/accounts/second-factors.ts';
import { createSessionActions } from '#actions/accounts/sessions.ts';
import { createSetupActions } from '#actions/accounts/setup.ts';
import { version } from '#config/version.ts';
import type { ActionDeps } from './deps.ts';
import { createInvitationSender, type InvitationSender } from '#channels/invitations.ts';
import type { Config } from '#config/config.ts';
import { everyNetwork } from '#egress/address-class.ts';
import { createGuard } from '#egress/guard.ts';
import type { PlaceBoard } from '#egress/closed-places.ts';
import { newId } from '#lib/id.ts';
import type { Log } from '#lib/log.ts';

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

/** A request for an invitation waits as long, in ms. */
const deadlineMs = 15_000;

/** Sends links by email. */
export interface Invitations {
  readonly send: SendInvitation;
  readonly sendReset: SendPasswordReset;
  readonly close: () => Promise<void>;
}

type SentMessage = Parameters<InvitationSender['send']>[1];

/** @returns null = email is not set up, and links are handed out by admins */
export function composeInvitations(
  { egress, gateways, caCertificates, serverTimeZone }: Config,
  closed: PlaceBoard,
  userAgent: string,
  log: Log,
): Invitations | null {
  const guard = createGuard({ ...egress, allow: everyNetwork, closed });
  const sender = createInvitationSender({
    guard,
    operatorGuard: guard,
    gateways,
    extraCertificates: caCertificates,
    deadlineMs,
  });
  if (sender === null) return null;
  const sent = async (what: string, accountId: string, message: SentMessage): Promise<void> => {
    try {
      await sender.send(accountId, message, userAgent);
    } catch (error) {
      log.warn(`${what}.not-sent`, { account: accountId, error: error instanceof Error ? error.message : '' });
      throw error;
    }
  };
  return {
    send: ({ email, accountId, ...invitation }) => sent('invitation', accountId, { ...invitation, address: email }),
    sendReset({ email, accountId, ...reset }) {
      const message = { ...reset, id: newId(), address: email, timeZone: serverTimeZone };
      return sent('password-reset', accountId, message);
    },
    close: () => sender.close(),
  };
}
