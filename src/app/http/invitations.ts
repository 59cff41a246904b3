// Sends invitations to accounts by email, if the operator has set it up.
import type { SendInvitation } from '#actions/accounts/invites.ts';
import { createInvitationSender } from '#channels/invitations.ts';
import type { Config } from '#config/config.ts';
import { everyNetwork } from '#egress/cidr.ts';
import { createGuard } from '#egress/guard.ts';
import type { PlaceBoard } from '#egress/place-board.ts';
import type { Log } from '#lib/log.ts';

/** A request for an invitation waits as long, ms. */
const deadlineMs = 15_000;

/** Sends invitations. */
export interface Invitations {
  readonly send: SendInvitation;
  readonly close: () => Promise<void>;
}

/** @returns null = email is not set up, and links are handed out by admins */
export function composeInvitations(
  { egress, gateways, caCertificates }: Config,
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
  return {
    async send({ email, accountId, ...invitation }) {
      try {
        await sender.send(accountId, { ...invitation, address: email }, userAgent);
      } catch (error) {
        log.warn('invitation.not-sent', { account: accountId, error: error instanceof Error ? error.message : '' });
        throw error;
      }
    },
    close: () => sender.close(),
  };
}
