// Sends invitations and links for other passwords by email, if the operator has set it up.
import type { SendInvitation } from '#actions/accounts/invites.ts';
import type { SendPasswordReset } from '#actions/accounts/password-resets.ts';
import { createInvitationSender, type InvitationSender } from '#channels/invitations.ts';
import type { Config } from '#config/config.ts';
import { everyNetwork } from '#egress/address-class.ts';
import { createGuard } from '#egress/guard.ts';
import type { PlaceBoard } from '#egress/closed-places.ts';
import { newId } from '#lib/id.ts';
import type { Log } from '#lib/log.ts';

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
