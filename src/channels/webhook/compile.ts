// Makes a function of a template, once, and renders with it within a budget.
import Handlebars from 'handlebars';
import { Budget, limits } from './budget.ts';
import { printHelper, passGate, sectionHelper } from './gate.ts';
import type { Reference } from './gate.ts';
import { helpers } from './helpers.ts';
import { printer, section, toRuntime } from './runtime-helpers.ts';
import type { RuntimeHelper } from './runtime-helpers.ts';
import { TemplateError } from './template-error.ts';

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

// An environment of its own, in which nothing can be called but what a template's own helper list holds.
const engine = Handlebars.create();
for (const name of Object.keys(engine.helpers)) engine.unregisterHelper(name);

const runtime = new Map<string, RuntimeHelper>([...helpers].map(([name, helper]) => [name, toRuntime(name, helper)]));
runtime.set(printHelper, printer);
runtime.set(sectionHelper, section);
const knownHelpers: KnownHelpers = Object.fromEntries([...runtime.keys()].map((name) => [name, true]));

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
  const { tree, references, helpers: used } = passGate(source);
  const print = engine.compile<TemplateContext>(tree, { knownHelpers, knownHelpersOnly: true });
  // Handing over only the helpers in use keeps a rendering cheap: the engine wraps each of them every time.
  const own = Object.fromEntries([...used].map((name) => [name, runtime.get(name) as Handlebars.HelperDelegate]));
  const render = (context: TemplateContext, now: number): string => {
    const budget = new Budget();
    try {
      const text = print(context, { helpers: own, data: { budget, now } });
      if (text.length > limits.output) budget.print(undefined, limits.output + 1);
      return text;
    } catch (error) {
      if (error instanceof TemplateError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new TemplateError(`could not be rendered: ${reason}`, { line: 1, column: 1 });
    }
  };
  return { references, render };
}
