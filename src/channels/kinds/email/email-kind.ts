// The email channel: sends alerts as mail through the operator's SMTP server.
import type { ChannelKind } from '../../kind.ts';
import { templatesOf } from './config.ts';
import {
  renderEmailDigest,
  renderEmailInvitation,
  renderEmailLink,
  renderEmailPasswordReset,
  renderEmailReport,
  renderEmailNews,
} from './other-mails.ts';
import { mailView, renderEmail, smtpMissing } from './render.ts';
import { emailSchema } from './schema.ts';

export const emailKind = {
  ...emailSchema,
  quota: 'email',
  templatesOf,
  missing: ({ smtp }) => (smtp === null ? smtpMissing : null),
  isSuperseded: true,
  render: renderEmail,
  view: mailView,
  renderDigest: renderEmailDigest,
  isGrouped: () => true,
  renderReport: renderEmailReport,
  renderNews: renderEmailNews,
  renderInvitation: renderEmailInvitation,
  renderPasswordReset: renderEmailPasswordReset,
  renderLinkMail: renderEmailLink,
  loadSender: async () => (await import('./send.ts')).createEmailSender,
} as const satisfies ChannelKind;
