// Sends invitations and links for other passwords by the channel kind that can, through the operator's own server.
import { randomUUID } from 'node:crypto';
import { noGateways } from '#domain/deliveries/gateways.ts';
import type { ChannelKind, ChannelSender, InvitationMessage, PasswordResetMessage, SenderOptions } from './kind.ts';
import { channelKinds } from './registry.ts';

/** Sends invitations and links for other passwords, one attempt each. */
export interface InvitationSender {
  /** Rejects with the reason if the server did not take the message. */
  send(accountId: string, message: InvitationMessage | PasswordResetMessage, userAgent: string): Promise<void>;
  close(): Promise<void>;
}

/** @returns null = no server is set up. Servers of single accounts do not count: their account may read what they send. */
export function createInvitationSender(options: SenderOptions): InvitationSender | null {
  const { smtp } = options.gateways;
  const kind = channelKinds.find(({ renderInvitation }: ChannelKind) => renderInvitation !== undefined) as
    | ChannelKind
    | undefined;
  if (smtp === null || kind?.renderInvitation === undefined || kind.renderPasswordReset === undefined) return null;
  const { type, renderInvitation, renderPasswordReset, loadSender } = kind;
  let sender: Promise<ChannelSender> | null = null;
  return {
    async send(accountId, message, userAgent) {
      const now = Date.now();
      const facts = { createdAt: now, uuid: randomUUID(), randomNumber: 0, userAgent, timeZone: message.timeZone };
      sender ??= loadSender().then((create) => create({ ...options, gateways: { ...noGateways, smtp } }));
      const { error } = await (
        await sender
      ).send({
        type,
        accountId,
        request: 'role' in message ? renderInvitation(message, facts, smtp) : renderPasswordReset(message, facts, smtp),
        deliveryId: message.id,
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
