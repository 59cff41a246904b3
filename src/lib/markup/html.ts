// Escaping templates of HTML, SVG and XML.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML that is known to be safe. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | undefined | false | readonly Part[];

/** An HTML template: escapes every value except Html, joins lists, and prints nothing for null and false. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? '';
  for (const [index, part] of parts.entries()) text += printed(part) + (strings[index + 1] ?? '');
  return new Html(text);
}

/** The same, for templates in which white space counts: formatters leave it as it is. */
export const markup = html;

function printed(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map((each) => printed(each)).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
