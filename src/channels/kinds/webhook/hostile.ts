// Warns about URLs and bodies that are invalid, or become invalid for some values of variables.
import { type TemplateVariables, systemVariableNames } from '#domain/deliveries/template-variables.ts';
import { type JsonFault, jsonFault } from '#lib/schema/json-place.ts';
import type { WebhookConfig } from './config.ts';
import type { ConfigWarning, TemplateFix } from '../../templates/fields.ts';
import type { Reference } from '../../templates/gate.ts';
import { isJson } from './render.ts';
import { firstOfEach, harmless, holding, isFree, type Trial } from './trial.ts';

/** A tag that writes a variable and does nothing else, such as `{{NAME}}` or `{{{../NAME}}}`. */
interface Tag {
  readonly text: string;
  /** The variable as it is written in the tag. */
  readonly variable: string;
  readonly before: string;
  readonly after: string;
}

function firstTag(template: string, name: string): Tag | null {
  const plain = name.replace(/\W/g, String.raw`\$&`);
  const tag = new RegExp(String.raw`\{\{\{?~?&?\s*((?:this\.|@root\.|\.\./)*${plain})\s*~?\}\}\}?`).exec(template);
  if (tag === null) return null;
  const [text, variable = name] = tag;
  return { text, variable, before: template.slice(0, tag.index), after: template.slice(tag.index + text.length) };
}

/** Whether the first plain tag of a variable is all that stands between two quotation marks. */
function isWholeText(template: string, name: string): boolean {
  const tag = firstTag(template, name);
  return tag !== null && /(?:^|[^\\])"$/.test(tag.before) && tag.after.startsWith('"');
}

/** Returns a replacement for the first plain tag of a variable in JSON; null if only helpers use it. */
export function jsonFix(template: string, name: string): TemplateFix | null {
  const tag = firstTag(template, name);
  if (tag === null) return null;
  const { text, variable, before, after } = tag;
  const safe = `{{json ${variable}}}`;
  // Three closing braces end another kind of tag.
  const spaced = (rest: string): string => (rest.startsWith('}') ? `${safe} ` : safe);
  const literal = before.replace(/\{\{[^]*?\}\}\}?/g, '').replace(/\\[^]/g, '');
  const isInText = literal.split('"').length % 2 === 0;
  if (!isInText) return { find: text, replaceWith: spaced(after) };
  if (isWholeText(template, name)) return { find: `"${text}"`, replaceWith: spaced(after.slice(1)) };
  return { find: text, replaceWith: `{{jsonString ${variable}}}` };
}

/** Returns a replacement for the first plain tag of a variable in a URL; null if only helpers use it. */
export function urlFix(url: string, name: string): TemplateFix | null {
  const tag = firstTag(url, name);
  return tag === null ? null : { find: tag.text, replaceWith: `{{urlencode ${tag.variable}}}` };
}

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

/** A channel field that ends up in the URL, and the variables in it. */
interface UrlField {
  readonly path: string;
  readonly references: readonly Reference[];
}

const benders: readonly (readonly [text: string, what: string])[] = [
  ['&', 'an ampersand'],
  ['/', 'a slash'],
  ['?', 'a question mark'],
  ['#', 'a number sign'],
];

/** Returns warnings about the URL fields. */
export function urlWarnings(
  webhook: WebhookConfig,
  fields: readonly UrlField[],
  variables: TemplateVariables,
  trial: Trial,
): ConfigWarning[] {
  const base = [variables, harmless(variables)].find((values) => trial.request(values) !== null);
  if (base === undefined) return [];
  const urlWith = (name: string, text: string): URL | null => {
    const request = trial.request({ ...base, [name]: holding(base[name], text) });
    return request === null ? null : URL.parse(request.url);
  };
  return fields.flatMap(({ path, references }) =>
    firstOfEach(references).flatMap((reference): ConfigWarning[] => {
      const { name, place } = reference;
      if (trial.isOver || !isFree(name) || !Object.hasOwn(base, name) || isWholeUrl(webhook.url, name)) return [];
      const twice = encodedTwice(path, name, urlWith);
      if (twice !== null) return [{ path, ...place, ...twice }];
      // User variables may hold whole paths and queries on purpose.
      const bent = path === 'config.url' && isSystem(name) ? bending(name, urlWith) : null;
      if (bent === null) return [];
      const fix = urlFix(webhook.url, name);
      return [{ path, ...place, ...bent, ...(fix !== null && { fix }) }];
    }),
  );
}

const isSystem = (name: string): boolean => systemVariableNames.some((system) => system === name);

/** Whether the variable is the base of the URL, as in `{{URL}}` and `{{URL}}/path`. */
function isWholeUrl(url: string, name: string): boolean {
  return new RegExp(String.raw`^\s*\{\{\{?~?\s*${name.replace(/\W/g, String.raw`\$&`)}\s*~?\}\}`).test(url);
}

type WarningText = Pick<ConfigWarning, 'message' | 'example'>;

function encodedTwice(
  path: string,
  name: string,
  urlWith: (name: string, text: string) => URL | null,
): WarningText | null {
  const isQuery = path.startsWith('config.queryParameters');
  const spaced = urlWith(name, 'a b')?.href ?? '';
  if (spaced.includes('a%2520b')) {
    const fix = isQuery
      ? `query values are encoded automatically: write {{{${name}}}}`
      : `write {{urlencode ${name}}} once`;
    return { message: `${name} is percent-encoded twice: ${fix}.`, example: 'a b' };
  }
  const joined = urlWith(name, 'a&b')?.href ?? '';
  if (/a(&|%26)amp(;|%3B)b/.test(joined)) {
    const whole = isSystem(name) ? '' : `{{{${name}}}} if the value is already part of a URL, or `;
    const fix = isQuery ? `{{{${name}}}}` : `${whole}{{urlencode ${name}}}`;
    return { message: `Double braces turn & into &amp;, which is wrong in a URL: write ${fix}.`, example: '&' };
  }
  return null;
}

/** Warns if a character in the value changes the structure of the URL. */
function bending(name: string, urlWith: (name: string, text: string) => URL | null): WarningText | null {
  const plain = urlWith(name, 'axb');
  if (plain === null) return null;
  for (const [example, what] of benders) {
    const bent = urlWith(name, `a${example}b`);
    if (bent !== null && shapeOf(bent) === shapeOf(plain)) continue;
    return { message: `The URL changes meaning when ${name} contains ${what}: write {{urlencode ${name}}}.`, example };
  }
  return null;
}

function shapeOf({ host, pathname, searchParams, href }: URL): string {
  return [host, pathname.split('/').length, [...searchParams.keys()].length, href.includes('#')].join(' ');
}
