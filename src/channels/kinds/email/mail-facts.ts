// What the default subject and body say about an alert, taken from the variables of its delivery.
import type { TemplateValue, TemplateVariables } from '#domain/alerts/template-variables.ts';
import { cut, textOf } from '../../templates/text-helpers.ts';
import { isolated } from './bidi.ts';

/** How an alert is presented. */
export type Tone = 'failing' | 'degraded' | 'recovered' | 'notice';

/** The content of a default mail. All texts are untrusted, in one line unless stated otherwise. */
export interface MailFacts {
  readonly tone: Tone;
  /** Such as `Failing`: opens the subject, in brackets. */
  readonly label: string;
  /** Such as `Cart API has failed`; text direction is isolated. */
  readonly title: string;
  /** Text direction is isolated. */
  readonly checkName: string;
  /** May have several lines; null = none. */
  readonly error: string | null;
  readonly rows: readonly (readonly [name: string, value: string])[];
  readonly resultLink: string | null;
  /** Opens a page to acknowledge the alert. */
  readonly acknowledgeLink: string | null;
}

const longestName = 200;
const longestValue = 500;
const longestError = 4000;

const presentations: Readonly<Record<string, readonly [Tone, string]>> = {
  ALERT_FAILURE: ['failing', 'Failing'],
  ALERT_DEGRADED: ['degraded', 'Degraded'],
  ALERT_RECOVERY: ['recovered', 'Recovered'],
  ALERT_DEGRADED_RECOVERY: ['recovered', 'Recovered'],
  ALERT_SSL: ['notice', 'Certificate'],
};

/** Collects the facts of a delivery. */
export function mailFacts(variables: TemplateVariables): MailFacts {
  const line = (name: string, max = longestValue): string | null => oneLine(textOf(variables[name]), max);
  const [tone, label] = presentations[line('ALERT_TYPE') ?? ''] ?? ['notice', 'Alert'];
  const checkName = line('CHECK_NAME', longestName) ?? 'Unnamed check';
  const title = line('ALERT_TITLE', 2 * longestName) ?? checkName;
  // Every title starts with the check's name, after the prefix of a test message.
  const isTest = title.startsWith(`[TEST] ${checkName}`);
  const happened = isTest ? title.slice('[TEST] '.length) : title;
  const reminder = variables['IS_REMINDER'] === true ? `Reminder ${line('REMINDER_SEQUENCE') ?? ''}`.trim() : null;
  const isOpen = tone === 'failing' || tone === 'degraded';
  const seconds = Number(variables['INCIDENT_DURATION']);
  const lasted = tone === 'recovered' && seconds > 0 ? durationText(seconds) : null;
  const startedAt = line('STARTED_AT');
  const since = isOpen ? line('INCIDENT_STARTED_AT') : null;
  const status = [line('API_CHECK_RESPONSE_STATUS_CODE'), line('API_CHECK_RESPONSE_STATUS_TEXT')];
  const responseTime = line('RESPONSE_TIME');
  const daysRemaining = line('SSL_DAYS_REMAINING');
  const rows: [string, string | null][] = [
    ['Failing since', tone === 'failing' ? instantText(since) : null],
    ['Degraded since', tone === 'degraded' ? instantText(since) : null],
    ['Lasted', lasted],
    ['Checked', startedAt === since ? null : instantText(startedAt)],
    ['URL', line('CHECK_URL')],
    ['Location', line('RUN_LOCATION')],
    ['Status', status.filter((part) => part !== null).join(' ') || null],
    ['Response time', responseTime === null ? null : `${responseTime} ms`],
    ['Certificate of', line('SSL_CHECK_DOMAIN')],
    ['Days remaining', daysRemaining],
    ['Group', line('GROUP_NAME', longestName)],
    ['Tags', oneLine(tagsOf(variables['TAGS']), longestValue)],
    ['Description', line('CHECK_DESCRIPTION')],
  ];
  return {
    tone,
    label: isTest ? 'Test' : (reminder ?? label),
    title: happened.startsWith(checkName)
      ? `${isolated(checkName)}${happened.slice(checkName.length)}`
      : isolated(happened),
    checkName: isolated(checkName),
    error: errorText(textOf(variables['CHECK_ERROR_MESSAGE'])),
    rows: rows.filter((row): row is [string, string] => row[1] !== null),
    resultLink: linkOf(textOf(variables['RESULT_LINK'])),
    acknowledgeLink: isOpen ? linkOf(textOf(variables['ACK_LINK'])) : null,
  };
}

/** The default subject. */
export function defaultSubject({ label, title, checkName, tone }: MailFacts): string {
  // The title of a certificate says which one and when.
  return `[${label}] ${tone === 'notice' ? title : checkName}`;
}

function tagsOf(value: TemplateValue): string {
  return Array.isArray(value) ? value.join(', ') : textOf(value);
}

/** A text without line breaks and control characters; null if nothing remains. */
function oneLine(text: string, max: number): string | null {
  const plain = cut(text, 4 * max)
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  return plain === '' ? null : shortened(plain, max);
}

function errorText(text: string): string | null {
  const lines = cut(text, longestError)
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.replace(/[^\P{Cc}\t]+/gu, ' ').trimEnd());
  const kept = lines.join('\n').trim();
  return kept === '' ? null : shortened(text.length > longestError ? `${kept}…` : kept, longestError);
}

function shortened(text: string, max: number): string {
  const well = text.toWellFormed();
  return well.length <= max ? well : `${cut(well, max - 1)}…`;
}

function linkOf(text: string): string | null {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

/** `2026-11-27 14:30:12 UTC`; null for what is no instant. */
function instantText(iso: string | null): string | null {
  const at = iso === null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(at) ? null : `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** The two largest units of a duration: `2 hours 5 minutes`. */
function durationText(seconds: number): string {
  const parts: string[] = [];
  let rest = Math.floor(seconds);
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    rest %= size;
    if (count > 0 && parts.length < 2) parts.push(`${count} ${unit}${count === 1 ? '' : 's'}`);
    else if (parts.length > 0) break;
  }
  return parts.join(' ');
}
