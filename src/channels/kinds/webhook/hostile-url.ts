// Warns about URLs that some values would change, and about double encoding.
import { systemVariableNames, type TemplateVariables } from '#domain/deliveries/template-variables.ts';
import type { WebhookConfig } from './config.ts';
import type { ConfigWarning } from '../../templates/fields.ts';
import type { Reference } from '../../templates/gate.ts';
import { urlFix } from './fix.ts';
import { firstOfEach, harmless, holding, isFree, type Trial } from './trial.ts';

/** A channel field that ends up in the URL, and the variables in it. */
export interface UrlField {
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
