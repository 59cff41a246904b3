// Sends invitations by the channel kind that can, through the operator's own server.
import { randomUUID } from 'node:crypto';
import { noGateways } from '#domain/deliveries/gateways.ts';
import type { ChannelKind, ChannelSender, InvitationMessage, SenderOptions } from './kind.ts';
import { channelKinds } from './registry.ts';

/** Sends invitations, one attempt each. */
export interface InvitationSender {
  /** Rejects with the reason if the server did not take the message. */
  send(accountId: string, invitation: InvitationMessage, userAgent: string): Promise<void>;
  close(): Promise<void>;
}

/** @returns null = no server is set up. Servers of single accounts do not count: their account may read what they send. */
export function createInvitationSender(options: SenderOptions): InvitationSender | null {
  const { smtp } = options.gateways;
  const kind = channelKinds.find(({ renderInvitation }: ChannelKind) => renderInvitation !== undefined) as
    | ChannelKind
    | undefined;
  if (smtp === null || kind?.renderInvitation === undefined) return null;
  const { type, renderInvitation, loadSender } = kind;
  let sender: Promise<ChannelSender> | null = null;
  return {
    async send(accountId, invitation, userAgent) {
      const now = Date.now();
      const facts = { createdAt: now, uuid: randomUUID(), randomNumber: 0, userAgent, timeZone: invitation.timeZone };
      sender ??= loadSender().then((create) => create({ ...options, gateways: { ...noGateways, smtp } }));
      const { error } = await (
        await sender
      ).send({
        type,
        accountId,
        request: renderInvitation(invitation, facts, smtp),
        deliveryId: invitation.id,
        createdAt: now,
        attempt: 1,
        replayOf: null,
        secrets: {},
        startedAt: now,
      });
      if (error !== null) throw new Error(error.message);
    },
    close: async () => (await sender)?.close(),
  };
}
