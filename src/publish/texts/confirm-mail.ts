// The words of the mail that asks a subscriber of a status page to confirm its address.
import type { StatusPage } from '#domain/status-pages/status-page.ts';
import { cleanText } from '#lib/markup/clean-text.ts';
import { createPageWriter } from './page-writer.ts';

/** A mail with one link. */
export interface MailWords {
  /** Its subject and heading. */
  readonly title: string;
  readonly intro: string;
  /** Text of the link. */
  readonly action: string;
  readonly note: string;
  readonly language: string;
}

export function confirmMail(page: Pick<StatusPage, 'name' | 'language' | 'texts'>): MailWords {
  const { plain, language } = createPageWriter({ page: { ...page, timeZone: 'UTC' } });
  const values = { page: cleanText(page.name) };
  return {
    title: plain('mail.confirm.title', values),
    intro: plain('mail.confirm.text', values),
    action: plain('mail.confirm.action'),
    note: plain('mail.confirm.note'),
    language,
  };
}
