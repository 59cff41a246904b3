// The plain text of a default mail.
import { isolated } from './bidi.ts';
import type { MailFacts } from './mail-facts.ts';

/** Renders the plain text part. */
export function textPart({ title, error, rows, resultLink, acknowledgeLink }: MailFacts): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length)) + 2;
  const links = [
    ['Result', resultLink],
    ['Acknowledge', acknowledgeLink],
  ].flatMap(([name, link]) => (link === null ? [] : `${name}: ${link}`));
  const parts = [
    title,
    ...(error === null ? [] : [error.split('\n').map(isolated).join('\n')]),
    rows.map(([name, value]) => `${`${name}:`.padEnd(width)}${isolated(value)}`).join('\n'),
    ...(links.length === 0 ? [] : [links.join('\n')]),
  ];
  return `${parts.join('\n\n')}\n`;
}
