// Makes a function of a template, once, and renders with it within a budget.
import { limits, Rendering } from './budget.ts';
import { ownsAllNames, type TemplateContext } from './context.ts';
import { passGate } from './gate.ts';
import type { Reference } from './gate.ts';
import { programOf } from './statements.ts';

/** A template that passed the gate. */
export interface CompiledTemplate {
  /** The variables it names. */
  readonly references: readonly Reference[];
  /**
   * @param now epoch ms: what `moment` calls now
   * @param most the longest text that may come of it, in characters; 256 kB unless told otherwise
   * @throws TemplateError when it takes too long, prints too much or meets a time it does not understand
   */
  readonly render: (context: TemplateContext, now: number, most?: number) => string;
  /**
   * Renders it as the next field of a rendering, within what is left of that one's budget.
   *
   * @param most the longest text that may come of it, in characters
   */
  readonly renderNext: (context: TemplateContext, rendering: Rendering, most: number) => string;
}

/** Compiled templates that are kept, by their source. */
const capacity = 4096;
/** Characters of source that they may have together; compiled they take some thirty times as much memory. */
const sourcesMost = 2 * 1024 * 1024;
const cache = new Map<string, CompiledTemplate>();
let sources = 0;

/**
 * The compiled form of a template; those used last are kept, by their content.
 *
 * @throws TemplateError when the gate refuses it
 */
export function compileTemplate(source: string): CompiledTemplate {
  // A text without tags is its own rendering, and compiled faster than it is found.
  if (!source.includes('{{')) return plain(source);
  const known = cache.get(source);
  if (known !== undefined) {
    cache.delete(source);
    cache.set(source, known);
    return known;
  }
  const compiled = compile(source);
  cache.set(source, compiled);
  sources += source.length;
  for (const oldest of cache.keys()) {
    if (cache.size <= capacity && sources <= sourcesMost) break;
    cache.delete(oldest);
    sources -= oldest.length;
  }
  return compiled;
}

/** Whether a template is kept in its compiled form, so that rendering it compiles nothing. */
export function isCompiled(source: string): boolean {
  return !source.includes('{{') || cache.has(source);
}

/** Lets all compiled templates go: they are compiled again when they are used. */
export function forgetTemplates(): void {
  cache.clear();
  sources = 0;
}

function plain(source: string): CompiledTemplate {
  if (source.length > limits.source / 4) passGate(source);
  const render = (_context: TemplateContext, now: number, most?: number): string => {
    new Rendering(now, most).reserve(start, source.length);
    return source;
  };
  const renderNext = (_context: TemplateContext, rendering: Rendering, most: number): string => {
    rendering.next(most);
    rendering.print(start, source);
    return source;
  };
  return { references: [], render, renderNext };
}

const start = { line: 1, column: 1 };

function compile(source: string): CompiledTemplate {
  const { tree, references } = passGate(source);
  const print = programOf(tree, []);
  const render = (context: TemplateContext, now: number, most?: number): string => {
    const rendering = new Rendering(now, most, ownsAllNames(context));
    print({ context, outer: null, root: context, loop: null, params: null }, rendering);
    return rendering.text;
  };
  const renderNext = (context: TemplateContext, rendering: Rendering, most: number): string => {
    rendering.next(most);
    print({ context, outer: null, root: context, loop: null, params: null }, rendering);
    return rendering.text;
  };
  return { references, render, renderNext };
}
