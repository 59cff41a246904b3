// Renders the subset of Markdown that people may use: paragraphs, lists, bold, italic, code and links; all else is text.
import { type Html, markup } from '#lib/markup/html.ts';

/** HTML of a text. Linear in its length. */
export function renderMarkdown(text: string): Html {
  const blocks = text.split(/\n[ \t]*\n/).filter((block) => block.trim() !== '');
  return markup`${blocks.map((block) => renderBlock(block.split('\n')))}`;
}

const item = /^[ \t]{0,8}(?:[-*+]|\d{1,9}[.)])[ \t]+/;
const numbered = /^[ \t]{0,8}\d/;

/** Lines between empty lines: runs of list items and of other lines. */
function renderBlock(lines: readonly string[]): Html[] {
  const parts: { readonly kind: 'p' | 'ul' | 'ol'; readonly items: string[] }[] = [];
  for (const line of lines) {
    const kind = !item.test(line) ? 'p' : numbered.test(line) ? 'ol' : 'ul';
    const last = parts.at(-1);
    const content = kind === 'p' ? line : line.replace(item, '');
    if (last?.kind === kind) last.items.push(content);
    else if (kind === 'p' && last !== undefined && /^[ \t]/.test(line))
      last.items.push(`${last.items.pop()}\n${content}`);
    else parts.push({ kind, items: [content] });
  }
  return parts.map(({ kind, items }) => {
    if (kind === 'p') return markup`<p>${renderLines(items.join('\n'))}</p>`;
    const list = items.map((each) => markup`<li>${renderLines(each)}</li>`);
    return kind === 'ul' ? markup`<ul>${list}</ul>` : markup`<ol>${list}</ol>`;
  });
}

function renderLines(text: string): Html {
  const lines = text
    .split('\n')
    .map((line, index) => markup`${index > 0 && markup`<br>`}${renderInline(line.trim(), 0)}`);
  return markup`${lines}`;
}

// Bounded repetitions that end where the next one may begin keep it linear.
const inline =
  /`([^`\n]{1,500})`|\*\*([^\n*]{1,1000})\*\*|\*([^\s*][^\n*]{0,1000})\*|(?<![\p{L}\p{N}_])_([^\s_][^\n_]{0,1000})_(?![\p{L}\p{N}_])|\[([^\]\n[]{1,500})\]\(([^()\s]{1,2000})\)|(https?:\/\/[^\s<>"')\]]{1,2000})/u;

function renderInline(text: string, depth: number): Html {
  if (depth > 4) return markup`${text}`;
  const parts: Html[] = [];
  let rest = text;
  for (let found = inline.exec(rest); found !== null; found = inline.exec(rest)) {
    const [whole, code, bold, italic, italics, label, url, bare] = found;
    parts.push(markup`${rest.slice(0, found.index)}`);
    rest = rest.slice(found.index + whole.length);
    if (code !== undefined) parts.push(markup`<code>${code}</code>`);
    else if (bold !== undefined) parts.push(markup`<strong>${renderInline(bold, depth + 1)}</strong>`);
    else if (label !== undefined && url !== undefined) parts.push(link(label, url, whole));
    else if (bare !== undefined) {
      const address = bare.replace(/[.,;:!?]{1,20}$/, '');
      parts.push(markup`${link(address, address, address)}${bare.slice(address.length)}`);
    } else parts.push(markup`<em>${renderInline(italic ?? italics ?? '', depth + 1)}</em>`);
  }
  return markup`${parts}${rest}`;
}

/** A link, or the text as it is if it leads nowhere that is allowed. */
function link(label: string, url: string, whole: string): Html {
  if (!isLinkable(url)) return markup`${whole}`;
  return markup`<a href="${url}" rel="nofollow noopener noreferrer">${label}</a>`;
}

/** Whether pages may link to it: http, https or mailto. */
export function isLinkable(url: string): boolean {
  return /^(?:https?:\/\/|mailto:)[^\s\\]+$/i.test(url) && URL.canParse(url);
}
