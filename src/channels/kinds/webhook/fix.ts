// Replacements that make a template right for every value: a person applies one with a click.
import type { TemplateFix } from '../../templates/fields.ts';

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
export function isWholeText(template: string, name: string): boolean {
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
