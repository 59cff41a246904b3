// Parts that the templates of presets share. Values are escaped and truncated for each receiver.

/** Prints a truncated value, escaped for the receiver. */
type Printer = (name: string, max: number) => string;
/** Changes the value of a template expression. */
type Change = (expression: string) => string;

/** Condition of the alerts that end a failure or degradation. */
export const isRecovery = "(contains ALERT_TYPE 'RECOVERY')";

/** One of three texts: for failures, for other alerts, and for recoveries. */
export const bySeverity = (down: string, slow: string, up: string): string =>
  `{{#if ${isRecovery}}}${up}{{else eq ALERT_TYPE 'ALERT_FAILURE'}}${down}{{else}}${slow}{{/if}}`;

/** Zero-width space: separates characters that the receiver would interpret together. */
const gap = '\u200b';
const breaking =
  (...marks: readonly (readonly [first: string, second: string])[]): Change =>
  (expression) =>
    marks.reduce(
      (text, [first, second]) => `(replace ${text} '${first}${second}' '${first}${gap}${second}')`,
      expression,
    );

/** Breaks Markdown links and images. */
export const unlinked = breaking([']', '('], [']', '['], [']', ':']);
/** Breaks mentions. */
export const uncalling = breaking(['@', '']);
/** Breaks links and mentions. */
export const inert: Change = (expression) => uncalling(unlinked(expression));
/** Like `inert`, for Rocket.Chat, which also reads `<URL|text>` as a link. */
export const inertAngled: Change = (expression) => breaking(['<', ''])(inert(expression));
/** Like `inert`, for GitLab, which executes lines that start with a slash. */
export const inertCommands: Change = (expression) => breaking(['\n', '/'])(inert(expression));

const truncated = (expression: string, max: number): string => `truncate ${expression} ${max} '…'`;
/** Truncates before and after the change, so that the result fits. */
const fitted = (name: string, max: number, change: Change): string =>
  truncated(change(`(${truncated(name, max)})`), max);

/** A value as JSON. */
export const short: Printer = (name, max) => `{{json (${truncated(name, max)})}}`;
/** A value inside `jsonText` or `encoded`. */
export const plain: Printer = (name, max) => `{{{${truncated(name, max)}}}}`;

/** Like `short`, with a change. */
export const shortWith =
  (change: Change): Printer =>
  (name, max) =>
    `{{json (${fitted(name, max, change)})}}`;
/** Like `plain`, with a change. */
export const plainWith =
  (change: Change): Printer =>
  (name, max) =>
    `{{{${fitted(name, max, change)}}}}`;

/** `short` for receivers that render Markdown. */
export const markdown = shortWith(unlinked);
/** `short` for receivers that also support mentions. */
export const chat = shortWith(inert);

/** A text of `plain` values as JSON. */
export const jsonText = (template: string): string => `"{{#jsonString}}${template}{{/jsonString}}"`;
/** A form body from encoded values. */
export const form = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
/** A text of `plain` values as a form value. */
export const encoded = (template: string): string => `{{#urlencode}}${template}{{/urlencode}}`;
/** A variable as a form value. Unlike in `encoded`, its value can be masked if it is locked. */
export const variable = (name: string): string => `{{urlencode ${name}}}`;

const replayed = '{{#if IS_REPLAY}} (replayed){{/if}}';
/** The title of an alert inside a text, marked if it is a replay. */
export const title = (print: Printer, max: number): string => print('ALERT_TITLE', max) + replayed;
/** The title of an alert as JSON, marked if it is a replay. */
export const titled = (jsonText: string): string =>
  jsonText.replace(/^\{\{json (.*)\}\}$/s, `"{{jsonString $1}}${replayed}"`);

/** Check, group, tags and time of the alert, inside a text. */
export const about = (print: Printer, separator = ' · '): string =>
  `${print('CHECK_NAME', 150)}{{#if GROUP_NAME}}${separator}${print('GROUP_NAME', 150)}{{/if}}` +
  `{{#if TAGS}}${separator}${print("(join TAGS ', ')", 300)}{{/if}}${separator}{{{localTime STARTED_AT}}}`;
/** Notes and runbook of the check, if it has them, inside `jsonText` or `encoded`. Recoveries need none. */
export const help = (print: Printer, max = 500): string =>
  `{{#unless ${isRecovery}}}{{#if CHECK_NOTES}}\n${print('CHECK_NOTES', max)}{{/if}}{{#if CHECK_RUNBOOK_URL}}\nRunbook: ${print('CHECK_RUNBOOK_URL', max)}{{/if}}{{/unless}}`;
/** The error message, if there is one, and `about`, inside `jsonText` or `encoded`. */
export const message = (print: Printer, max: number, separator?: string): string =>
  `{{#if CHECK_ERROR_MESSAGE}}${print('CHECK_ERROR_MESSAGE', max)}\n{{/if}}${about(print, separator)}`;
/** `message` and `help`, for receivers that take a few thousand characters. */
export const fullMessage = (print: Printer, max: number): string => message(print, max) + help(print);

/** The error message as JSON. */
export const error = (print: Printer, max: number): string => print("(default CHECK_ERROR_MESSAGE '')", max);
/** Members of a JSON object that describe the alert. All are strings. */
export const factsWith = (print: Printer): string =>
  [
    `"check": ${print('CHECK_NAME', 250)}`,
    `"group": ${print("(default GROUP_NAME '')", 250)}`,
    '"alert_type": {{json ALERT_TYPE}}',
    `"location": ${print('RUN_LOCATION', 250)}`,
    `"tags": ${print("(join TAGS ', ')", 1000)}`,
    `"runbook": ${print("(default CHECK_RUNBOOK_URL '')", 2000)}`,
    `"notes": ${print("(default CHECK_NOTES '')", 2000)}`,
    '"started_at": {{json STARTED_AT}}',
  ].join(', ');
export const facts = factsWith(short);

export function lines(...all: readonly string[]): string {
  return all.join('\n');
}
