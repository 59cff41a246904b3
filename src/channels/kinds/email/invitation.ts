// Renders the mail of an invitation to an account.
import { zonedMinute } from '#domain/accounts/time-zone.ts';
import type { Message } from '#domain/deliveries/delivery.ts';
import type { Gateways } from '#domain/deliveries/gateways.ts';
import type { InvitationMessage } from '../../kind.ts';
import type { RenderFacts } from '../../templates/context.ts';
import { headerText } from '../../templates/header-text.ts';
import { cut } from '../../templates/text-helpers.ts';
import { isolated } from './bidi.ts';
import { htmlOfInvitation } from './html-part.ts';
import { longestSubject, mailOf } from './render.ts';

/** Renders a mail. Its link is only in the mail, because its use proves the address. */
export function renderEmailInvitation(
  { id, address, accountName, role, url, expiresAt }: InvitationMessage,
  facts: RenderFacts,
  smtp: NonNullable<Gateways['smtp']>,
): Message {
  const title = `Invitation to ${headerText(accountName.toWellFormed())}`;
  const expires = zonedMinute(expiresAt, facts.timeZone);
  const intro = `You are invited to the account ${isolated(accountName)} of Tocsin with the role ${role}.`;
  const note = `The link works once, until ${expires}. If you did not expect this email, ignore it.`;
  const text = `${intro}\n\nAccept the invitation: ${url}\n\n${note}\n`;
  const html = htmlOfInvitation({ title, intro, url, note });
  const subject = isolated(cut(title, longestSubject));
  return mailOf({ from: smtp.from, address, subject, text, html }, { DELIVERY_ID: id }, facts);
}
