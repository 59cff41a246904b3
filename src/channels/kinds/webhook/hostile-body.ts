// Warns about bodies that look like JSON but are invalid, or become invalid for some values.
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import { type JsonFault, jsonFault } from '#lib/schema/json-place.ts';
import type { WebhookConfig } from './config.ts';
import type { ConfigWarning } from '../../templates/fields.ts';
import type { Reference } from '../../templates/gate.ts';
import { isWholeText, jsonFix } from './fix.ts';
import { isJson } from './render.ts';
import { firstOfEach, harmless, holding, isFree, type Trial } from './trial.ts';

/** Texts that break naive templates, shortest first, with their names. */
const breakers: readonly (readonly [text: string, what: string])[] = [
  ['"', 'a quotation mark'],
  ['\\', 'a backslash'],
  ['\n', 'a line break'],
  ['\t', 'a tab'],
  ["'", 'an apostrophe'],
  ['🔥', 'an emoji'],
  ['x'.repeat(4096), '4 kB of text'],
];
/** All of them together, to find out in one rendering whether any breaks the body. */
const everything = breakers.map(([text]) => text).join(' ');

const mayBeMissing: ReadonlySet<string> = new Set([
  'RESPONSE_TIME',
  'API_CHECK_RESPONSE_STATUS_CODE',
  'SSL_DAYS_REMAINING',
  'REMINDER_SEQUENCE',
]);

/** Returns what makes the body invalid JSON, or would. Empty if the body is not meant as JSON. */
export function bodyWarnings(
  { template, headers }: Pick<WebhookConfig, 'template' | 'headers'>,
  references: readonly Reference[],
  variables: TemplateVariables,
  trial: Trial,
): ConfigWarning[] {
  if (template === null) return [];
  const breaks = (values: TemplateVariables): boolean => {
    const request = trial.request(values);
    return request === null || !isJson(request.body);
  };
  const base = [variables, harmless(variables)].find((values) => !breaks(values));
  const named = firstOfEach(references);
  if (base === undefined) {
    const isSaidToBe = headers.some(({ key, value }) => key.toLowerCase() === 'content-type' && /json/i.test(value));
    const body = trial.request(variables)?.body ?? '';
    const fault = body.trim() !== '' && (isSaidToBe || looksLikeJson(body)) ? jsonFault(body) : null;
    return fault === null ? [] : [neverJson(template, fault, decidingIn(named, variables, breaks, trial))];
  }
  return named.flatMap((reference): ConfigWarning[] => {
    const { name } = reference;
    if (trial.isOver) return [];
    const isBreakable = isFree(name) && Object.hasOwn(base, name);
    const withText = (text: string): TemplateVariables => ({ ...base, [name]: holding(base[name], text) });
    if (isBreakable && breaks(withText(everything))) {
      const found = breakers.find(([text]) => breaks(withText(text)));
      return [broken(template, reference, references, found ?? [everything, 'special characters'])];
    }
    if (mayBeMissing.has(name) && breaks({ ...base, [name]: undefined })) return [missing(template, reference)];
    return [];
  });
}

/** Whether a body starts like JSON. `[Shop] is down` does not. */
function looksLikeJson(body: string): boolean {
  return /^\s*(?:\{|\[\s*(?:["{[\]]|-?\d|true\b|false\b|null\b))/.test(body) || /^\s*\[[^]*\]\s*$/.test(body);
}

/** Returns the only variable whose value breaks the JSON: with a number in its place the body is valid. */
function decidingIn(
  named: readonly Reference[],
  variables: TemplateVariables,
  breaks: (values: TemplateVariables) => boolean,
  trial: Trial,
): Reference | null {
  const decides = ({ name, isVariable }: Reference): boolean =>
    isVariable && !trial.isOver && !breaks({ ...variables, [name]: holding(variables[name], '0') });
  return named.find(decides) ?? null;
}

function neverJson(template: string, { line, column, wanted }: JsonFault, deciding: Reference | null): ConfigWarning {
  const where = `expected ${wanted} at line ${line}, column ${column} of the rendered body`;
  if (deciding === null) return { path: 'config.template', message: `The body is not valid JSON: ${where}.` };
  const { name, place } = deciding;
  const message = `The body is not valid JSON because of ${name}: ${where}. ${advice(template, name)}.`;
  return { path: 'config.template', ...place, message, ...fixOf(template, name) };
}

function broken(
  template: string,
  named: Reference,
  references: readonly Reference[],
  [example, what]: readonly [text: string, what: string],
): ConfigWarning {
  const { name, place } = named;
  const also = example === '"' ? '' : ', although quotation marks are escaped';
  const isItem = name === 'TAGS' && references.some(({ name: other }) => other === 'this');
  const items = name === 'TAGS' || isItem ? ' ({{json TAGS}} for the list, {{json this}} inside each)' : '';
  return {
    path: 'config.template',
    ...place,
    message: `The body is not valid JSON when ${name} contains ${what}${also}. ${advice(template, name)}${items}.`,
    example,
    ...fixOf(template, name),
  };
}

/** Suggests a replacement that fits the text around the tag. */
function advice(template: string, name: string): string {
  const safe = `{{json ${name}}}`;
  if (isWholeText(template, name)) {
    return `Write ${safe} instead of the quotes and braces, or "{{jsonString ${name}}}" inside quotes`;
  }
  return `Write "{{jsonString ${name}}}" inside quotes, or ${safe} instead of the quotes and braces`;
}

function missing(template: string, { name, place }: Reference): ConfigWarning {
  return {
    path: 'config.template',
    ...place,
    message: `The body is not valid JSON when ${name} has no value. Write {{json ${name}}}, which prints null, or {{default ${name} 0}}.`,
    example: '',
    ...fixOf(template, name),
  };
}

function fixOf(template: string, name: string): Pick<ConfigWarning, 'fix'> {
  const fix = jsonFix(template, name);
  return fix === null ? {} : { fix };
}
