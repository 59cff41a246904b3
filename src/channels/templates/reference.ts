// What the variables and helpers of templates are, in a line each, for those who write templates.
import type { systemVariableNames } from '#domain/deliveries/template-variables.ts';
import { dollarNames, helpers } from './helpers.ts';

/** System variables. Texts about more than a line are in docs/templates.md. */
export const variableTexts: Readonly<Record<(typeof systemVariableNames)[number], string>> = {
  ALERT_TITLE: 'Title for people',
  ALERT_TYPE: 'Type for programs',
  CHECK_NAME: 'Name of the check',
  CHECK_ID: 'ID of the check',
  CHECK_TYPE: 'Type of the check',
  CHECK_DESCRIPTION: 'Description of the check',
  CHECK_RUNBOOK_URL: 'Runbook of the check',
  CHECK_NOTES: 'Notes of the check; may have several lines',
  CHECK_URL: 'Monitored URL, if there is one',
  CHECK_RESULT_ID: 'ID of the result that raised the alert',
  CHECK_ERROR_MESSAGE: 'The failure in a sentence; empty on recovery',
  RESPONSE_TIME: 'Whole milliseconds, a number',
  API_CHECK_RESPONSE_STATUS_CODE: 'Status of an API check, a number',
  API_CHECK_RESPONSE_STATUS_TEXT: 'Status of an API check as text',
  RUN_LOCATION: 'Name of the run location',
  REGION: 'Code of the run location',
  RESULT_LINK: 'Page of the result without a key, for 30 days',
  SSL_DAYS_REMAINING: 'Days until the certificate expires; only ALERT_SSL',
  SSL_CHECK_DOMAIN: 'Host of the certificate; only ALERT_SSL',
  STARTED_AT: 'Start of the run, ISO 8601 in UTC',
  TAGS: 'Tags of the check, a list',
  GROUP_NAME: 'Group of the check',
  IS_REMINDER: 'Whether this is a reminder',
  REMINDER_SEQUENCE: 'Number of the reminder, from 1',
  INCIDENT_ID: 'ID of the incident; empty for ALERT_SSL',
  INCIDENT_STARTED_AT: 'When the incident began, ISO 8601 in UTC',
  INCIDENT_DURATION: 'Whole seconds from then to this alert',
  IS_FIRST_OF_INCIDENT: 'Whether this is the first message of the incident to this channel',
  ACK_LINK: 'Page to acknowledge the alert without a key, for 30 days',
  FLAPPING_SINCE: 'When the check began to flap; empty if it does not',
  DELIVERY_ID: 'ID of the delivery',
  IS_REPLAY: 'Whether this is a replay',
  REPLAY_OF: 'ID of the delivery that is replayed',
};

const dollarTexts: Readonly<Record<(typeof dollarNames)[number], string>> = {
  $UUID: 'Random UUID, the same for all attempts',
  $RANDOM_NUMBER: 'Random number from 0 to 1000, the same for all attempts',
};

type HelperText = readonly [about: string, example: string];

const helperTexts: Readonly<Record<string, HelperText>> = {
  if: ['Shows its content if the value is not empty', '{{#if GROUP_NAME}}…{{/if}}'],
  unless: ['Shows its content if the value is empty', '{{#unless IS_REMINDER}}…{{/unless}}'],
  each: ['Repeats its content for each item', '{{#each TAGS}}{{this}}{{/each}}'],
  with: ['Enters a value', '{{#with GROUP_NAME}}{{this}}{{/with}}'],
  lookup: ['Item of a list, or character of a text', '{{lookup TAGS 1}}'],
  and: ['All hold', '{{and GROUP_NAME TAGS}}'],
  or: ['One holds', '{{or SSL_CHECK_DOMAIN GROUP_NAME}}'],
  not: ['Does not hold', '{{not SSL_CHECK_DOMAIN}}'],
  neither: ['Neither holds', '{{neither SSL_CHECK_DOMAIN IS_REMINDER}}'],
  eq: ['Strictly equal', "{{#eq ALERT_TYPE 'ALERT_FAILURE'}}…{{/eq}}"],
  is: ['Loosely equal', "{{is API_CHECK_RESPONSE_STATUS_CODE '503'}}"],
  isnt: ['Not loosely equal', "{{isnt CHECK_TYPE 'API'}}"],
  gt: ['Greater than', '{{gt RESPONSE_TIME 100}}'],
  gte: ['Greater than or equal to', '{{gte RESPONSE_TIME 100}}'],
  lt: ['Less than', '{{lt RESPONSE_TIME 100}}'],
  lte: ['Less than or equal to', '{{lte RESPONSE_TIME 100}}'],
  unlessEq: ['Not strictly equal', "{{unlessEq REGION 'local'}}"],
  unlessGt: ['Not greater than', '{{unlessGt RESPONSE_TIME 100}}'],
  unlessGteq: ['Less than', '{{unlessGteq RESPONSE_TIME 200}}'],
  unlessLt: ['Not less than', '{{unlessLt RESPONSE_TIME 100}}'],
  unlessLteq: ['Greater than', '{{unlessLteq RESPONSE_TIME 100}}'],
  compare: ['Compares by an operator', "{{compare RESPONSE_TIME '<' 1000}}"],
  contains: ['Item of a list, or part of a text', "{{contains TAGS 'shop'}}"],
  has: ['The same, for lists and objects', "{{has TAGS 'shop'}}"],
  isTruthy: ['Neither empty nor a word such as no', "{{isTruthy 'no'}}"],
  isFalsey: ['Empty, or a word such as no', "{{isFalsey 'no'}}"],
  ifEven: ['An even number', '{{ifEven RESPONSE_TIME}}'],
  ifOdd: ['An odd number', '{{ifOdd RESPONSE_TIME}}'],
  ifNth: ['The second is divisible by the first', '{{ifNth 2 REMINDER_SEQUENCE}}'],
  startsWith: ['The second starts with the first', "{{startsWith 'Cart' CHECK_NAME}}"],
  uppercase: ['In capitals', '{{uppercase REGION}}'],
  lowercase: ['In small letters', '{{lowercase ALERT_TYPE}}'],
  capitalize: ['With a capital first', '{{capitalize REGION}}'],
  trim: ['Without spaces around', '{{trim CHECK_NAME}}'],
  json: ['JSON of any value, quotes included', '{{json ALERT_TITLE}}'],
  jsonString: ['For the inside of quotes in JSON', '"{{jsonString CHECK_NAME}} failed"'],
  urlencode: ['For a URL', '?q={{urlencode CHECK_NAME}}'],
  truncate: ['At most so many characters', "{{truncate CHECK_ERROR_MESSAGE 500 '…'}}"],
  replace: ['Replaces a part everywhere', "{{replace ALERT_TYPE 'ALERT_' ''}}"],
  split: ['A list of the parts of a text', "{{lookup (split STARTED_AT 'T') 0}}"],
  join: ['The items of a list as text', "{{join TAGS ' and '}}"],
  length: ['Number of items or characters', '{{length TAGS}}'],
  tagValue: ['Rest of the first tag key:value', "{{tagValue TAGS 'env' 'none'}}"],
  default: ['The first value that exists', "{{default SSL_CHECK_DOMAIN 'no domain'}}"],
  moment: ['A time in UTC, in a format', "{{moment STARTED_AT 'HH:mm:ss'}}"],
  date: ['The same as moment', "{{date 'HH:mm'}}"],
  localTime: ['A time in the zone of the account', '{{localTime STARTED_AT}}'],
  year: ['The present year', '{{year}}'],
};

/** A helper, for those who write templates. */
export interface HelperReference {
  readonly name: string;
  readonly about: string;
  readonly example: string;
  /** Minimum number of arguments. */
  readonly least: number;
  /** `block` = only as a block, `comparison` = also as a block that shows its content if it holds. */
  readonly use: 'block' | 'comparison' | 'value';
}

/** All helpers, in the order of their tables. */
export const helperReferences: readonly HelperReference[] = [...helpers].map(([name, { kind, least }]) => {
  const [about, example] = helperTexts[name] ?? ['', `{{${name}}}`];
  return { name, about, example, least, use: kind === 'text' ? 'value' : kind };
});

/** Values that are neither of the alert nor of the account. */
export const randomReferences = dollarNames.map((name) => ({ name, about: dollarTexts[name] }));
