// Sends mails that are no alerts by the channel kind that can: invitations, links for other passwords, and links to strangers.
import { randomUUID } from 'node:crypto';
import { gatewaysOf, noGateways, type SmtpGateway } from '#domain/deliveries/gateways.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import type {
  ChannelKind,
  ChannelSender,
  InvitationMessage,
  LinkMessage,
  PasswordResetMessage,
  SenderOptions,
} from './kind.ts';
import { channelKinds } from './registry.ts';
import type { RenderFacts } from './templates/context.ts';

/** Sends mails, one attempt each. */
export interface MailSender<Mail> {
  /** Rejects with the reason if the server did not take the message. */
  send(accountId: string, message: Mail, userAgent: string): Promise<void>;
  close(): Promise<void>;
}

/** Sends invitations and links for other passwords. */
export type InvitationSender = MailSender<InvitationMessage | PasswordResetMessage>;

/**
 * Sends through the operator's own server.
 * @returns null = no server is set up. Servers of single accounts do not count: their account may read what they send.
 */
export function createInvitationSender(options: SenderOptions): InvitationSender | null {
  const { smtp } = options.gateways;
  const kind = mailingKind();
  if (smtp === null || kind === null) return null;
  const { renderInvitation, renderPasswordReset } = kind;
  return createMailSender(
    kind,
    { ...options, gateways: { ...noGateways, smtp } },
    (message: InvitationMessage | PasswordResetMessage) => ({
      timeZone: message.timeZone,
      render: (facts, server) =>
        'role' in message ? renderInvitation(message, facts, server) : renderPasswordReset(message, facts, server),
    }),
  );
}

/** Sends links to readers outside of an account through the server of the account, or else that of the operator. */
export function createLinkSender(options: SenderOptions): MailSender<LinkMessage> | null {
  const { smtp, accountSmtp } = options.gateways;
  const kind = mailingKind();
  if (kind === null || (smtp === null && Object.keys(accountSmtp).length === 0)) return null;
  const { renderLinkMail } = kind;
  return createMailSender(
    kind,
    { ...options, gateways: { ...noGateways, smtp, accountSmtp } },
    (message: LinkMessage) => ({
      timeZone: 'UTC',
      render: (facts, server) => renderLinkMail(message, facts, server),
    }),
  );
}

type Rendering = Required<Pick<ChannelKind, 'renderInvitation' | 'renderPasswordReset' | 'renderLinkMail'>>;

type MailingKind = Pick<ChannelKind, 'type' | 'loadSender'> & Rendering;

function mailingKind(): MailingKind | null {
  for (const kind of channelKinds as readonly ChannelKind[]) {
    const { type, loadSender, renderInvitation, renderPasswordReset, renderLinkMail } = kind;
    if (renderInvitation !== undefined && renderPasswordReset !== undefined && renderLinkMail !== undefined)
      return { type, loadSender, renderInvitation, renderPasswordReset, renderLinkMail };
  }
  return null;
}

function createMailSender<Mail extends { readonly id: string }>(
  { type, loadSender }: MailingKind,
  options: SenderOptions,
  mailOf: (message: Mail) => {
    readonly timeZone: string;
    readonly render: (facts: RenderFacts, server: SmtpGateway) => Message;
  },
): MailSender<Mail> {
  let sender: Promise<ChannelSender> | null = null;
  return {
    async send(accountId, message, userAgent) {
      const { smtp } = gatewaysOf(options.gateways, accountId);
      if (smtp === null) throw new Error('no mail server is set up for this account');
      const now = Date.now();
      const { timeZone, render } = mailOf(message);
      const facts = { createdAt: now, uuid: randomUUID(), randomNumber: 0, userAgent, timeZone };
      sender ??= loadSender().then((create) => create(options));
      const { error } = await (
        await sender
      ).send({
        type,
        accountId,
        request: render(facts, smtp),
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
