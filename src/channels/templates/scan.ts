// Scans a template's tags before parsing, so that deep or long input never reaches recursive code.
import { limits } from './budget.ts';
import { TemplateError } from './template-error.ts';
import type { Position } from './template-error.ts';

/** One `{{…}}` of a template. */
export interface Tag {
  /** Index of its first brace. */
  readonly start: number;
  readonly text: string;
  /** Effect on the enclosing blocks. */
  readonly role: 'open' | 'close' | 'else' | 'value';
  /** Name after the mark; '' if it is not a plain name. */
  readonly name: string;
}

interface OpenBlock {
  readonly tag: Tag;
  /** Nesting levels it adds: one more for each `{{else if …}}`. */
  levels: number;
}

export const longName = `a name has more than ${limits.pathParts} parts`;
export const tooManyNodes = `the template has more than ${limits.nodes} names, strings and numbers inside braces`;

interface Scanned extends TemplateSize {
  readonly tags: Tag[];
}

/** Size of a template, as counted by the limits (decisions: Limits). */
export interface TemplateSize {
  /** Expressions and blocks. */
  readonly expressions: number;
  /** Names, strings and numbers inside braces. */
  readonly nodes: number;
}

/** Converts an index to line and column, both starting at 1. */
export function positionOf(source: string, index: number): Position {
  const before = source.slice(0, index);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: index - lineStart + 1 };
}

/**
 * Returns the tags of a template in order.
 *
 * @throws TemplateError for exceeded limits, unclosed or mismatched tags and unsupported features: partials,
 * decorators, raw blocks (decisions: Limits, Webhook templates)
 */
export function scanTags(source: string): Tag[] {
  return scanned(source).tags;
}

/**
 * Measures a template without parsing it.
 *
 * @throws TemplateError as `scanTags` does
 */
export function sizeOfTemplate(source: string): TemplateSize {
  return scanned(source);
}

function scanned(source: string): Scanned {
  if (Buffer.byteLength(source) > limits.source) {
    throw new TemplateError(`the template is longer than ${limits.source / 1024} kB`, { line: 1, column: 1 });
  }
  const fail = (index: number, message: string): never => {
    throw new TemplateError(message, positionOf(source, index));
  };
  const tags: Tag[] = [];
  const open: OpenBlock[] = [];
  let expressions = 0;
  let nodes = 0;
  for (let at = source.indexOf('{{'); at !== -1; at = source.indexOf('{{', at)) {
    if (source[at - 1] === '\\' && source[at - 2] !== '\\') {
      at += 2;
      continue;
    }
    const comment = commentEnd(source, at, fail);
    if (comment !== null) {
      at = comment;
      continue;
    }
    const { end, parentheses, depth, words } = tagEnd(source, at, fail);
    const tag = read(source.slice(at, end), at, fail);
    // `{"a":{{X}}}` parses as the end of a triple brace, with an unhelpful parser error.
    if (!tag.text.endsWith('}}}') && source[end] === '}') {
      fail(at, `put a space between ${tag.text} and the } that follows it`);
    }
    tags.push(tag);
    follow(tag, open, source, fail);
    if (tag.role !== 'close') expressions += 1 + parentheses;
    if (expressions > limits.expressions)
      fail(at, `the template has more than ${limits.expressions} expressions and blocks`);
    nodes += words;
    if (nodes > limits.nodes) fail(at, tooManyNodes);
    const levels = open.reduce((sum, block) => sum + block.levels, 0);
    if (levels + depth > limits.depth)
      fail(at, `blocks and parentheses are nested more than ${limits.depth} levels deep`);
    at = end;
  }
  const unclosed = open.at(-1)?.tag;
  if (unclosed !== undefined) {
    fail(unclosed.start, `${unclosed.text} is never closed: add {{/${unclosed.name || 'the same name'}}}`);
  }
  return { tags, expressions, nodes };
}

type Fail = (index: number, message: string) => never;

/** Returns the end of a comment that starts here, or null. */
function commentEnd(source: string, at: number, fail: Fail): number | null {
  const mark = source[at + 2] === '~' ? at + 3 : at + 2;
  if (source[mark] !== '!') return null;
  const isLong = source.startsWith('!--', mark);
  const ending = isLong ? /--~?\}\}/g : /\}\}/g;
  ending.lastIndex = mark;
  if (ending.test(source)) return ending.lastIndex;
  return fail(at, `this comment is never closed: end it with ${isLong ? '--}}' : '}}'}`);
}

interface Extent {
  readonly end: number;
  readonly parentheses: number;
  readonly depth: number;
  /** Approximate number of names, strings and numbers. */
  readonly words: number;
}

/** Maximum separators between path parts: `../` counts as two, `.[` as one. */
const maxMarks = 2 * limits.pathParts + 4;

/** Finds the end of the tag that starts at `at`, and measures it. */
function tagEnd(source: string, at: number, fail: Fail): Extent {
  if (source.startsWith('{{{{', at)) fail(at, 'raw blocks {{{{…}}}} are not supported');
  const closing = source.startsWith('{{{', at) ? '}}}' : '}}';
  let [parentheses, level, depth, words, marks] = [0, 0, 0, 0, 0];
  let isWithin = false;
  for (let i = at + closing.length; i < source.length; i++) {
    const char = source[i] as string;
    const isPlain = !/[\s()=|]/.test(char);
    if (isPlain && !isWithin) words++;
    if (!isPlain) marks = 0;
    isWithin = isPlain;
    if (char === '"' || char === "'" || char === '[') i = quoteEnd(source, i, char === '[' ? ']' : char);
    else if (char === '(') {
      parentheses++;
      depth = Math.max(depth, ++level);
    } else if (char === ')') level--;
    else if (char === '.' || char === '/') marks++;
    else if (char === '}' && source.startsWith(closing, i)) {
      return { end: i + closing.length, parentheses, depth, words };
    } else if (char === '{') break;
    if (depth > limits.depth) fail(at, `parentheses are nested more than ${limits.depth} levels deep`);
    if (marks > maxMarks) fail(at, longName);
  }
  return fail(at, `this tag is never closed: end it with ${closing}`);
}

function quoteEnd(source: string, from: number, quote: string): number {
  for (let i = from + 1; i < source.length; i++) {
    if (source[i] === '\\' && source[i + 1] === quote) i++;
    else if (source[i] === quote) return i;
  }
  return source.length;
}

function read(text: string, start: number, fail: Fail): Tag {
  const [, mark = '', name = ''] = /^\{\{\{?~?([#^/>*&]?[>*]?)\s*([^\s~{}()|"'[\]=]*)/.exec(text) ?? [];
  if (mark.includes('>')) fail(start, 'partials {{> …}} are not supported');
  if (mark.includes('*')) fail(start, 'decorators {{* …}} are not supported');
  if (mark === '/') return { start, text, role: 'close', name };
  if (name === 'else' || (mark === '^' && name === '' && !text.includes('['))) {
    return { start, text, role: 'else', name: 'else' };
  }
  return { start, text, role: mark === '#' || mark === '^' ? 'open' : 'value', name };
}

/** Updates the list of open blocks. */
function follow(tag: Tag, open: OpenBlock[], source: string, fail: Fail): void {
  const current = open.at(-1);
  if (tag.role === 'open') open.push({ tag, levels: 1 });
  if (tag.role === 'else') {
    if (current === undefined) fail(tag.start, '{{else}} is outside a block');
    else if (/else\s+[^\s~}]/.test(tag.text)) current.levels++;
  }
  if (tag.role !== 'close') return;
  open.pop();
  if (current === undefined) fail(tag.start, `${tag.text} closes a block that was never opened`);
  else if (current.tag.name !== tag.name) {
    const { line } = positionOf(source, current.tag.start);
    fail(tag.start, `${tag.text} does not match ${current.tag.text} on line ${line}`);
  }
}
