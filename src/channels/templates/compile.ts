// Compiles templates and renders them within limits.
import { limits, Rendering } from './budget.ts';
import { ownsAllNames, type TemplateContext } from './context.ts';
import { passGate } from './gate.ts';
import type { Reference } from './gate.ts';
import { programOf } from './statements.ts';

/** A template that passed the gate. */
export interface CompiledTemplate {
  /** Variables used by the template. */
  readonly references: readonly Reference[];
  /**
   *
   * @param now time used by `moment`, epoch ms
   * @param most maximum output in characters, default 256 kB
   * @throws TemplateError if a limit is exceeded or a time is invalid
   */
  readonly render: (context: TemplateContext, now: number, max?: number) => string;
  /**
   * Renders the template as the next field, within the remaining limits.
   *
   * @param most maximum output in characters
   */
  readonly renderNext: (context: TemplateContext, rendering: Rendering, max: number) => string;
}

/** Maximum number of cached templates. */
const capacity = 4096;
/** Maximum source characters in the cache. Compiled templates use about thirty times as much memory. */
const maxSources = 2 * 1024 * 1024;
const cache = new Map<string, CompiledTemplate>();
let sources = 0;

/**
 * Compiles a template, with an LRU cache.
 *
 * @throws TemplateError if the template is invalid
 */
export function compileTemplate(source: string): CompiledTemplate {
  // Text without tags is not worth caching.
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
    if (cache.size <= capacity && sources <= maxSources) break;
    cache.delete(oldest);
    sources -= oldest.length;
  }
  return compiled;
}

/** Whether a template is in the cache. */
export function isCompiled(source: string): boolean {
  return !source.includes('{{') || cache.has(source);
}

/** Clears the cache. */
export function forgetTemplates(): void {
  cache.clear();
  sources = 0;
}

function plain(source: string): CompiledTemplate {
  if (source.length > limits.source / 4) passGate(source);
  const render = (_context: TemplateContext, now: number, max?: number): string => {
    new Rendering(now, max).reserve(start, source.length);
    return source;
  };
  const renderNext = (_context: TemplateContext, rendering: Rendering, max: number): string => {
    rendering.next(max);
    rendering.print(start, source);
    return source;
  };
  return { references: [], render, renderNext };
}

const start = { line: 1, column: 1 };

function compile(source: string): CompiledTemplate {
  const { tree, references } = passGate(source);
  const print = programOf(tree, []);
  const render = (context: TemplateContext, now: number, max?: number): string => {
    const rendering = new Rendering(now, max, ownsAllNames(context));
    print({ context, outer: null, root: context, loop: null, params: null }, rendering);
    return rendering.text;
  };
  const renderNext = (context: TemplateContext, rendering: Rendering, max: number): string => {
    rendering.next(max);
    print({ context, outer: null, root: context, loop: null, params: null }, rendering);
    return rendering.text;
  };
  return { references, render, renderNext };
}
