// Makes a function of a template, once, and renders with it within a budget.
import { Rendering } from './budget.ts';
import { passGate } from './gate.ts';
import type { Reference } from './gate.ts';
import { programOf } from './statements.ts';

/** What templates look names up in: no prototype, values as they are printed. */
export type TemplateContext = Readonly<Record<string, unknown>>;

/** A template that passed the gate. */
export interface CompiledTemplate {
  /** The variables it names. */
  readonly references: readonly Reference[];
  /**
   * @param now epoch ms: what `moment` calls now
   * @throws TemplateError when it takes too long, prints too much or meets a time it does not understand
   */
  readonly render: (context: TemplateContext, now: number) => string;
}

const capacity = 512;
const cache = new Map<string, CompiledTemplate>();

/**
 * The compiled form of a template; the last 512 that were used are kept, by their content.
 *
 * @throws TemplateError when the gate refuses it
 */
export function compileTemplate(source: string): CompiledTemplate {
  const known = cache.get(source);
  if (known !== undefined) {
    cache.delete(source);
    cache.set(source, known);
    return known;
  }
  const compiled = source.includes('{{') ? compile(source) : plain(source);
  cache.set(source, compiled);
  for (const oldest of cache.keys()) {
    if (cache.size <= capacity) break;
    cache.delete(oldest);
  }
  return compiled;
}

function plain(source: string): CompiledTemplate {
  passGate(source);
  return { references: [], render: () => source };
}

function compile(source: string): CompiledTemplate {
  const { tree, references } = passGate(source);
  const print = programOf(tree, []);
  const render = (context: TemplateContext, now: number): string => {
    const rendering = new Rendering(now);
    print({ context, outer: null, root: context, loop: null, params: null }, rendering);
    return rendering.text;
  };
  return { references, render };
}
