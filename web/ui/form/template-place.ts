// Where the cursor is in a template, and what fits there.

/** A place inside braces, or outside of them. */
export interface TemplatePlace {
  /** Start of the name that is being typed. */
  readonly from: number;
  /**
   * `text` = outside of braces; `head` = a variable or helper; `block` and `call` = a helper; `end` = the end of a block;
   * `argument` = a variable.
   */
  readonly what: 'text' | 'head' | 'block' | 'call' | 'end' | 'argument';
  /** Closes the braces; '' = they are closed. */
  readonly close: '' | '}}' | '}}}';
  /** The innermost block that is open here; null = none. */
  readonly block: string | null;
  /** Of an argument: the helper, and the number of arguments before it. */
  readonly call: { readonly name: string; readonly index: number } | null;
}

/** The place at an offset; null = nothing can be completed, as in a quoted text. */
export function placeAt(template: string, at: number): TemplatePlace | null {
  const before = template.slice(0, at);
  const open = before.lastIndexOf('{{');
  const inside = open === -1 ? '' : before.slice(open + 2);
  const block = openBlock(open === -1 ? before : before.slice(0, open));
  if (open === -1 || inside.includes('}}')) {
    return { from: at, what: 'text', close: '', block: openBlock(before), call: null };
  }
  const written = inside.replace(/'[^']*'|"[^"]*"/g, (quoted) => '_'.repeat(quoted.length));
  if (/['"]/.test(written) || written.startsWith('!')) return null;
  const name = /[\w$]*$/.exec(written)?.[0] ?? '';
  const head = written.slice(0, written.length - name.length);
  const from = at - name.length;
  const isRaw = template.charAt(open - 1) === '{';
  const isClosed = /^[^{}]*\}\}/.test(template.slice(at));
  const close = isClosed ? '' : isRaw ? '}}}' : '}}';
  const place = { from, close, block, call: null } as const;
  const [, sigil, rest = ''] = /^[~&]?([#^/]?)\s*(.*)$/s.exec(head) ?? [];
  const words = rest.replace(/^else\s+/, '');
  if (words === '') return { ...place, what: sigil === '' ? 'head' : sigil === '/' ? 'end' : 'block' };
  if (/\(\s*$/.test(words)) return { ...place, what: 'call' };
  return { ...place, what: 'argument', call: callIn(words) };
}

/** The innermost call that is open at the end: its helper and its arguments so far. */
function callIn(words: string): TemplatePlace['call'] {
  // Closed calls count as one argument.
  let open = words;
  for (let closed = ''; closed !== open;) {
    closed = open;
    open = closed.replace(/\([^()]*\)/g, '_');
  }
  const [name = '', ...given] = open
    .slice(open.lastIndexOf('(') + 1)
    .trim()
    .split(/\s+/);
  return { name, index: given.length };
}

function openBlock(before: string): string | null {
  const open: string[] = [];
  for (const [, sigil, name = ''] of before.matchAll(/\{\{~?([#^/])\s*([\w$]+)/g)) {
    if (sigil === '/') open.pop();
    else open.push(name);
  }
  return open.at(-1) ?? null;
}
