// Warnings about a body that is JSON only as long as no value holds a character that matters there.
import type { TemplateVariables } from '#domain/template-variables.ts';
import type { Reference } from './gate.ts';
import { isJson } from './render.ts';
import { firstOfEach, harmless, holding, isFree, type PreviewWarning, type Trial } from './trial.ts';

/** What breaks what was not made for it, the smallest first, and what to call it. */
const breakers: readonly (readonly [text: string, what: string])[] = [
  ['"', 'a quotation mark'],
  ['\\', 'a backslash'],
  ['\n', 'a line break'],
  ['\t', 'a tab'],
  ["'", 'an apostrophe'],
  ['🔥', 'an emoji'],
  ['x'.repeat(4096), '4 kB of text'],
];
/** All of them at once: one rendering tells whether to look closer. */
const everything = breakers.map(([text]) => text).join(' ');

const mayBeMissing: ReadonlySet<string> = new Set([
  'RESPONSE_TIME',
  'API_CHECK_RESPONSE_STATUS_CODE',
  'SSL_DAYS_REMAINING',
  'REMINDER_SEQUENCE',
]);

/** What would make the body of a template invalid JSON; nothing when it is no JSON to begin with. */
export function bodyWarnings(
  template: string,
  references: readonly Reference[],
  variables: TemplateVariables,
  trial: Trial,
): PreviewWarning[] {
  const breaks = (values: TemplateVariables): boolean => {
    const request = trial.request(values);
    return request === null || !isJson(request.body);
  };
  const base = [variables, harmless(variables)].find((values) => !breaks(values));
  if (base === undefined) return [];
  return firstOfEach(references).flatMap((reference): PreviewWarning[] => {
    const { name } = reference;
    if (trial.isOver) return [];
    const isBreakable = isFree(name) && Object.hasOwn(base, name);
    const withText = (text: string): TemplateVariables => ({ ...base, [name]: holding(base[name], text) });
    if (isBreakable && breaks(withText(everything))) {
      const found = breakers.find(([text]) => breaks(withText(text)));
      return [broken(template, reference, references, found ?? [everything, 'all sorts of characters'])];
    }
    if (mayBeMissing.has(name) && breaks({ ...base, [name]: undefined })) return [missing(reference)];
    return [];
  });
}

function broken(
  template: string,
  named: Reference,
  references: readonly Reference[],
  [example, what]: readonly [text: string, what: string],
): PreviewWarning {
  const { name, place } = named;
  const also = example === '"' ? '' : ', although a quotation mark is escaped there';
  const isItem = name === 'TAGS' && references.some(({ name: other }) => other === 'this');
  const items = name === 'TAGS' || isItem ? ' ({{json TAGS}} for the list, {{json this}} inside each)' : '';
  return {
    path: 'config.template',
    ...place,
    message: `The body is not valid JSON when ${name} holds ${what}${also}. ${advice(template, name)}${items}.`,
    example,
  };
}

/** How to write it instead: by what stands around the tag now. */
function advice(template: string, name: string): string {
  const tag = new RegExp(
    String.raw`(.?)\{\{\{?~?&?\s*(?:this\.|@root\.|\.\./)*${name.replace(/\W/g, String.raw`\$&`)}\s*~?\}\}\}?(.?)`,
    's',
  );
  const [, before, after] = tag.exec(template) ?? [];
  const safe = `{{json ${name}}}`;
  if (before === '"' && after === '"') {
    return `Write ${safe} instead of the quotes and braces, or "{{jsonString ${name}}}" inside quotes`;
  }
  return `Write "{{jsonString ${name}}}" inside quotes, or ${safe} instead of the quotes and braces`;
}

function missing({ name, place }: Reference): PreviewWarning {
  return {
    path: 'config.template',
    ...place,
    message: `The body is not valid JSON when there is no ${name}. Write {{json ${name}}} (null then) or {{default ${name} 0}}.`,
    example: '',
  };
}
