// What the default subject and body say about an alert.
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import { type AlertSummary, oneLine, summarize, type Tone } from '../../parts/alert-summary.ts';
import { textOf } from '../../templates/text-helpers.ts';

/** The content of a default mail. All texts are untrusted, in one line unless stated otherwise. */
export interface MailFacts extends Pick<AlertSummary, 'tone' | 'error' | 'notes' | 'rows' | 'links'> {
  /** Such as `Failing`: opens the subject, in brackets. */
  readonly label: string;
  /** Such as `Cart API has failed`; text direction is isolated. */
  readonly title: string;
  /** Text direction is isolated. */
  readonly checkName: string;
  /** Sent again on request. */
  readonly isReplay: boolean;
}

const labels: Readonly<Record<Tone, string>> = {
  failing: 'Failing',
  degraded: 'Degraded',
  recovered: 'Recovered',
  notice: 'Alert',
};

const longestDescription = 500;

/** Collects the facts of a delivery. @param timeZone IANA name, in which times are written */
export function mailFacts(variables: TemplateVariables, timeZone: string): MailFacts {
  const { event, isTest, isReplay, reminder, checkName, ...summary } = summarize(variables, timeZone);
  const label = variables['ALERT_TYPE'] === 'ALERT_SSL' ? 'Certificate' : labels[summary.tone];
  const replayed = isReplay ? ' (replayed)' : '';
  const description = oneLine(textOf(variables['CHECK_DESCRIPTION']), longestDescription);
  return {
    ...summary,
    rows: [
      ...(isReplay ? [['Replayed', 'This message was sent again. The state may have changed since.'] as const] : []),
      ...summary.rows,
      ...(description === null ? [] : [['Description', description] as const]),
    ],
    label: isTest ? 'Test' : (reminder ?? label),
    // Every event starts with the check's name.
    title: `${event.startsWith(checkName) ? `${isolated(checkName)}${event.slice(checkName.length)}` : isolated(event)}${replayed}`,
    checkName: isolated(checkName),
    isReplay,
  };
}

export function defaultSubject({ label, title, checkName, tone, isReplay }: MailFacts): string {
  // The title of a certificate says which one and when.
  return `[${label}] ${tone === 'notice' ? title : `${checkName}${isReplay ? ' (replayed)' : ''}`}`;
}

const directional = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/;

/** Isolates a text if it could reorder its surroundings. Removes isolates in the text, so that it cannot end this one. */
export function isolated(text: string): string {
  return directional.test(text) ? `\u2068${text.replace(/[\u2066-\u2069]/g, '')}\u2069` : text;
}
