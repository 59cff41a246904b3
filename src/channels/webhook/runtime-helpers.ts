// Joins our helpers to the template engine: counts each call against the budget and runs blocks.
import Handlebars from 'handlebars';
import type { Budget } from './budget.ts';
import type { Hash, Helper } from './helper.ts';
import type { Place } from './template-error.ts';
import { textOf } from './text-helpers.ts';

type Program = (context: unknown, options?: { data?: unknown; blockParams?: unknown[] }) => string;

/** What the engine hands to a helper after its arguments. */
interface EngineOptions {
  readonly hash: Hash;
  readonly data: { readonly budget: Budget; readonly now: number };
  readonly loc?: { readonly start: Place };
  /** Both are there when it was called as a block. */
  readonly fn?: Program;
  readonly inverse?: Program;
}

/** A helper as the engine calls it. */
export type RuntimeHelper = (this: unknown, ...args: unknown[]) => unknown;

function placeOfCall({ loc }: EngineOptions): Place | undefined {
  return loc === undefined ? undefined : { line: loc.start.line, column: loc.start.column + 1 };
}

function take(args: unknown[]): { options: EngineOptions; budget: Budget; place: Place | undefined } {
  const options = args.pop() as EngineOptions;
  const place = placeOfCall(options);
  const { budget } = options.data;
  budget.step(place);
  for (let i = 0; i < args.length; i++) {
    const value = args[i];
    if (value instanceof Handlebars.SafeString) args[i] = value.toString();
    if (typeof args[i] === 'string') budget.handle(place, (args[i] as string).length);
  }
  return { options, budget, place };
}

/** Runs a block's body and counts the literal text that it printed. */
function run(program: Program, context: unknown, budget: Budget, place: Place | undefined, frame?: object): string {
  const before = budget.printed;
  const text = program(context, frame);
  const uncounted = text.length - (budget.printed - before);
  if (uncounted > 0) budget.print(place, uncounted);
  return text;
}

/** Every value is printed through this one: `{{X}}` is escaped by the engine afterwards, `{{{X}}}` is not. */
export const printer: RuntimeHelper = (value, options) => {
  const call = options as EngineOptions;
  const { budget } = call.data;
  const place = placeOfCall(call);
  budget.step(place);
  const text = value instanceof Handlebars.SafeString ? value.toString() : textOf(value);
  budget.print(place, text.length);
  return value instanceof Handlebars.SafeString ? value : text;
};

function isEmpty(value: unknown): boolean {
  return (!value && value !== 0) || (Array.isArray(value) && value.length === 0);
}

type Block = (context: unknown, value: unknown, call: ReturnType<typeof take>) => string;

function branch(context: unknown, holds: boolean, { options, budget, place }: ReturnType<typeof take>): string {
  const program = holds ? options.fn : options.inverse;
  return program === undefined ? '' : run(program, context, budget, place);
}

function each(context: unknown, value: unknown, call: ReturnType<typeof take>): string {
  const { options, budget, place } = call;
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const { fn } = options;
  if (entries.length === 0 || fn === undefined) return branch(context, false, call);
  const data = Handlebars.createFrame(options.data) as Record<string, unknown>;
  const isList = Array.isArray(value);
  let text = '';
  for (const [index, [key, item]] of entries.entries()) {
    budget.step(place);
    data['key'] = isList ? index : key;
    data['index'] = index;
    data['first'] = index === 0;
    data['last'] = index === entries.length - 1;
    text += run(fn, item, budget, place, { data, blockParams: [item, data['key']] });
  }
  return text;
}

function within(context: unknown, value: unknown, call: ReturnType<typeof take>): string {
  const { options, budget, place } = call;
  if (isEmpty(value) || options.fn === undefined) return branch(context, false, call);
  return run(options.fn, value, budget, place, { data: options.data, blockParams: [value] });
}

const blocks: Readonly<Record<string, Block>> = {
  if: (context, value, call) => {
    const isZero = value === 0 && call.options.hash['includeZero'] !== true;
    return branch(context, !isEmpty(value) && !isZero, call);
  },
  unless: (context, value, call) => {
    const isZero = value === 0 && call.options.hash['includeZero'] !== true;
    return branch(context, isEmpty(value) || isZero, call);
  },
  each,
  with: within,
};

/** `{{#X}}…{{/X}}` of a variable: a list is looped over, true keeps the context, anything else becomes it. */
export const section: RuntimeHelper = function section(...args) {
  const call = take(args);
  const [value] = args;
  if (Array.isArray(value)) return each(this, value, call);
  if (value === true) return branch(this, true, call);
  const { options, budget, place } = call;
  if (value === false || value === undefined || value === null || options.fn === undefined) {
    return branch(this, false, call);
  }
  return run(options.fn, value, budget, place);
};

/** The engine's form of a helper. */
export function toRuntime(name: string, helper: Helper): RuntimeHelper {
  if (helper.kind === 'block') {
    const block = blocks[name] ?? branchAlways;
    return function callBlock(...args) {
      const call = take(args);
      return block(this, args[0], call);
    };
  }
  if (helper.kind === 'comparison') {
    return function compare(...args) {
      const call = take(args);
      const holds = helper.holds(args, call.options.hash);
      return call.options.fn === undefined && call.options.inverse === undefined ? holds : branch(this, holds, call);
    };
  }
  const isVerbatim = helper.kind === 'text' && helper.verbatim === true;
  return function make(...args) {
    const call = take(args);
    const { options, budget, place } = call;
    const scope = { now: options.data.now, budget, place };
    if (options.fn !== undefined) return textOf(helper.value([branch(this, true, call)], scope));
    const value = helper.value(args, scope);
    return isVerbatim ? new Handlebars.SafeString(textOf(value)) : value;
  };
}

const branchAlways: Block = (context, _value, call) => branch(context, true, call);
