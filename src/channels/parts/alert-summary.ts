// What ready-made messages say about an alert, taken from the variables of its delivery.
import type { TemplateValue, TemplateVariables } from '#domain/deliveries/template-variables.ts';
import { zonedText } from '#domain/accounts/time-zone.ts';
import { cut } from '../templates/text-helpers.ts';

/** How an alert is presented. */
export type Tone = 'failing' | 'degraded' | 'recovered' | 'notice';

/** The content of a message. All texts are untrusted and have one line unless stated otherwise. */
export interface AlertSummary {
  readonly tone: Tone;
  /** Such as `Cart API has failed`, with marks of tests, reminders and replays. */
  readonly title: string;
  /** The same without these marks. */
  readonly event: string;
  readonly isTest: boolean;
  /** Sent again on request. */
  readonly isReplay: boolean;
  /** Such as `Reminder 2`; null = this is not a reminder. */
  readonly reminder: string | null;
  readonly checkName: string;
  /** May have several lines; null = none. */
  readonly error: string | null;
  /** Where and when, by name. */
  readonly rows: readonly (readonly [name: string, value: string])[];
  readonly tags: readonly string[];
  /** ISO. */
  readonly startedAt: string | null;
  readonly location: string | null;
  readonly group: string | null;
  readonly resultLink: string | null;
  /** To the result, the page to acknowledge the alert, and the runbook; those that there are. */
  readonly links: readonly AlertLink[];
  /** What the check's owner notes for those who are notified. May have several lines; null = nothing. */
  readonly notes: string | null;
  /**
   * Groups all messages of one incident. Certificates have keys of their own, which no recovery closes, and so do test
   * messages.
   */
  readonly key: string;
}

/** A link of a message. */
export interface AlertLink {
  readonly name: 'Result' | 'Acknowledge' | 'Runbook';
  /** What its button says. */
  readonly action: string;
  readonly href: string;
}

const longestName = 200;
const longestValue = 500;
const longestError = 2000;
const longestNotes = 2000;
/** PagerDuty accepts 255 characters. */
const longestKey = 255;

const tones: Readonly<Record<string, Tone>> = {
  ALERT_FAILURE: 'failing',
  ALERT_DEGRADED: 'degraded',
  ALERT_RECOVERY: 'recovered',
  ALERT_DEGRADED_RECOVERY: 'recovered',
};

/** Summarizes a delivery. @param timeZone IANA name, in which times are written */
export function summarize(variables: TemplateVariables, timeZone: string): AlertSummary {
  const line = (name: string, max = longestValue): string | null => oneLine(textOf(variables[name]), max);
  const tone = tones[line('ALERT_TYPE') ?? ''] ?? 'notice';
  const tags = listOf(variables['TAGS']);
  const title = line('ALERT_TITLE', 2 * longestName) ?? 'Alert';
  const isOfTest = isTest(variables);
  const reminder = variables['IS_REMINDER'] === true ? `Reminder ${line('REMINDER_SEQUENCE') ?? ''}`.trim() : null;
  const isReplay = variables['IS_REPLAY'] === true;
  return {
    tone,
    title: `${reminder === null ? '' : `${reminder}: `}${title}${isReplay ? ' (replayed)' : ''}`,
    event: isOfTest ? title.slice(testMark.length) : title,
    isTest: isOfTest,
    isReplay,
    reminder,
    checkName: line('CHECK_NAME', longestName) ?? 'Unnamed check',
    // The result of a certificate alert may have failed for another reason.
    error: line('ALERT_TYPE') === 'ALERT_SSL' ? null : linesOf(textOf(variables['CHECK_ERROR_MESSAGE']), longestError),
    rows: rowsOf(variables, tone, tags, timeZone),
    tags,
    startedAt: isoOf(line('STARTED_AT')),
    location: line('RUN_LOCATION', longestName),
    group: line('GROUP_NAME', longestName),
    resultLink: linkOf(textOf(variables['RESULT_LINK'])),
    links: linksOf(variables, tone),
    notes: tone === 'recovered' ? null : linesOf(textOf(variables['CHECK_NOTES']), longestNotes),
    key: keyOf(variables),
  };
}

function linksOf(variables: TemplateVariables, tone: Tone): AlertLink[] {
  const link = (name: AlertLink['name'], action: string, variable: string, isShown = true): AlertLink[] => {
    const href = isShown ? linkOf(textOf(variables[variable])) : null;
    return href === null ? [] : [{ name, action, href }];
  };
  return [
    ...link('Result', 'View result', 'RESULT_LINK'),
    ...link('Acknowledge', 'Acknowledge', 'ACK_LINK', tone === 'failing' || tone === 'degraded'),
    ...link('Runbook', 'Open runbook', 'CHECK_RUNBOOK_URL', tone !== 'recovered'),
  ];
}

function rowsOf(
  variables: TemplateVariables,
  tone: Tone,
  tags: readonly string[],
  timeZone: string,
): AlertSummary['rows'] {
  const line = (name: string, max = longestValue): string | null => oneLine(textOf(variables[name]), max);
  const time = (name: string): string | null => instantText(line(name), timeZone);
  const since = time('INCIDENT_STARTED_AT');
  const seconds = Number(variables['INCIDENT_DURATION']);
  const status = [line('API_CHECK_RESPONSE_STATUS_CODE'), line('API_CHECK_RESPONSE_STATUS_TEXT')];
  const responseTime = line('RESPONSE_TIME');
  const rows: [string, string | null][] = [
    ['Failing since', tone === 'failing' ? since : null],
    ['Degraded since', tone === 'degraded' ? since : null],
    ['Began', tone === 'recovered' ? since : null],
    ['Duration', tone === 'recovered' && seconds > 0 ? durationText(seconds) : null],
    ['Flapping since', time('FLAPPING_SINCE')],
    ['Location', line('RUN_LOCATION', longestName)],
    ['Checked', time('STARTED_AT')],
    ['URL', line('CHECK_URL')],
    ['Status', status.filter((part) => part !== null).join(' ') || null],
    ['Response time', responseTime === null ? null : `${responseTime} ms`],
    ['Certificate of', line('SSL_CHECK_DOMAIN')],
    daysRow(line('SSL_DAYS_REMAINING')),
    ['Group', line('GROUP_NAME', longestName)],
    ['Tags', tags.length === 0 ? null : shortened(tags.join(', '), longestValue)],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== null);
}

function daysRow(days: string | null): [string, string | null] {
  const past = -Number(days);
  return past > 0 ? ['Expired', `${past} ${past === 1 ? 'day' : 'days'} ago`] : ['Days remaining', days];
}

function keyOf(variables: TemplateVariables): string {
  const id = (name: string): string | null => oneLine(textOf(variables[name]), longestKey);
  const check = id('CHECK_ID') ?? 'unknown';
  const isCertificate = variables['ALERT_TYPE'] === 'ALERT_SSL';
  const key = isCertificate ? `${check}-certificate-${id('SSL_CHECK_DOMAIN') ?? ''}` : (id('INCIDENT_ID') ?? check);
  // A test must neither open nor close what a check has open.
  return cut(isTest(variables) ? `test-${key}` : key, longestKey);
}

const testMark = '[TEST] ';

/** Only titles of tests have the mark before the check's name. */
function isTest(variables: TemplateVariables): boolean {
  return textOf(variables['ALERT_TITLE']).startsWith(`${testMark}${textOf(variables['CHECK_NAME'])}`);
}

function textOf(value: TemplateValue): string {
  return value === undefined ? '' : String(value);
}

function listOf(value: TemplateValue): string[] {
  const list: readonly string[] = typeof value === 'object' ? value : [];
  return list.slice(0, 100).flatMap((item) => oneLine(item, longestName) ?? []);
}

// Marks that reorder the text around them go, too: a name must not be able to disguise what follows it.
// oxlint-disable-next-line no-control-regex -- control characters are what must go
const unwanted = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/** A text without line breaks, control characters and marks of direction; null if nothing remains. */
export function oneLine(text: string, max: number): string | null {
  const plain = cut(text, 4 * max)
    .replace(unwanted, ' ')
    .trim();
  return plain === '' ? null : shortened(plain, max);
}

function linesOf(text: string, max: number): string | null {
  const lines = cut(text, max)
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.replace(unwanted, ' ').trimEnd());
  const kept = lines.join('\n').trim();
  return kept === '' ? null : shortened(text.length > max ? `${kept}…` : kept, max);
}

/** A well-formed text of at most `max` UTF-16 units, with `…` in the place of the rest. */
export function shortened(text: string, max: number): string {
  const well = text.toWellFormed();
  return well.length <= max ? well : `${cut(well, max - 1)}…`;
}

function linkOf(text: string): string | null {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.href.length <= 2000 ? url.href : null;
}

function isoOf(text: string | null): string | null {
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** `2026-11-27 15:30:12 CET`; null for what is no instant. */
function instantText(text: string | null, timeZone: string): string | null {
  const iso = isoOf(text);
  return iso === null ? null : zonedText(Date.parse(iso), timeZone);
}

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** The two largest units of a duration: `2 hours 5 minutes`. */
export function durationText(seconds: number): string {
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
