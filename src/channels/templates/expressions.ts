// Compiles expressions: names, literals and helper calls.
import type { Rendering } from './budget.ts';
import { type Call, simpleName } from './gate-call.ts';
import type { Hash, Helper } from './helper.ts';
import { helpers } from './helpers.ts';
import type { Position } from './template-error.ts';
import { placeOfNode } from './template-error.ts';
import { sizeOf } from './text-helpers.ts';

/** Scope of name lookups. */
export interface Frame {
  context: unknown;
  /** Target of `../`, or null. */
  readonly outer: Frame | null;
  readonly root: unknown;
  /** Enclosing loop, for `@index`, `@key`, `@first` and `@last`. */
  readonly loop: Loop | null;
  /** Values of block parameters (`as |name|`), innermost first. */
  readonly params: Params | null;
}

/** One iteration of `each`. */
export interface Loop {
  index: number;
  key: unknown;
  first: boolean;
  last: boolean;
  readonly outer: Loop | null;
}

/** Values of the parameters of one block. */
export interface Params {
  readonly values: readonly unknown[];
  readonly outer: Params | null;
}

export type Value = (frame: Frame, rendering: Rendering) => unknown;

/** Block parameters in scope, innermost first. */
export type Declared = readonly (readonly string[])[];

/** Returns an own property of a value, never an inherited one. */
export function ownValue(holder: unknown, name: string): unknown {
  if (typeof holder === 'object') {
    return holder !== null && Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;
  }
  if (typeof holder !== 'string') return undefined;
  return name === 'length' || Object.hasOwn(Object(holder), name) ? holder[name as keyof string] : undefined;
}

function under(holder: unknown, parts: readonly string[], from: number): unknown {
  let value = holder;
  for (let i = from; i < parts.length; i++) value = ownValue(value, parts[i] as string);
  return value;
}

/** Compiles an argument or a tag. */
export function valueOf(node: hbs.AST.Expression, declared: Declared): Value {
  if (node.type === 'PathExpression') return pathValue(node as hbs.AST.PathExpression, declared);
  if (node.type === 'SubExpression') {
    const call = node as hbs.AST.SubExpression;
    return callValue(call, declared) ?? pathValue(call.path, declared);
  }
  const fixed = 'value' in node ? node.value : node.type === 'NullLiteral' ? null : undefined;
  return () => fixed;
}

export function pathValue(node: hbs.AST.PathExpression, declared: Declared): Value {
  const { parts, depth, data } = node;
  const [first] = parts;
  if (data) return dataValue(depth, parts);
  if (first === undefined) return (frame) => outerOf(frame, depth)?.context;
  const isScoped = /^(\.|this[./])/.test(node.original);
  const level = depth > 0 || isScoped ? -1 : declared.findIndex((names) => names.includes(first));
  if (level !== -1) {
    const index = declared[level]?.indexOf(first) ?? 0;
    return (frame) => under(paramsOf(frame, level)?.values[index], parts, 1);
  }
  if (depth === 0 && parts.length === 1) {
    return (frame, rendering) => {
      const { context } = frame;
      // Most names are variables of the delivery, which inherit nothing.
      return rendering.ownsAll && context === frame.root
        ? (context as Readonly<Record<string, unknown>>)[first]
        : ownValue(context, first);
    };
  }
  return (frame) => under(outerOf(frame, depth)?.context, parts, 0);
}

function outerOf(frame: Frame, depth: number): Frame | null {
  let found: Frame | null = frame;
  for (let i = 0; i < depth && found !== null; i++) found = found.outer;
  return found;
}

function paramsOf(frame: Frame, level: number): Params | null {
  let found = frame.params;
  for (let i = 0; i < level && found !== null; i++) found = found.outer;
  return found;
}

/** Compiles `@root`, `@index` and so on. `@../index` refers to the outer loop. */
function dataValue(depth: number, parts: readonly string[]): Value {
  const name = parts[0] as 'root' | Exclude<keyof Loop, 'outer'>;
  if (name === 'root') return (frame) => under(frame.root, parts, 1);
  return (frame) => {
    let { loop } = frame;
    for (let i = 0; i < depth && loop !== null; i++) loop = loop.outer;
    return loop === null ? undefined : under(loop[name], parts, 1);
  };
}

/** Returns the helper of a call, or null if it refers to a variable. */
export function helperOf(call: Call, declared: Declared): Helper | null {
  const name = simpleName(call.path, declared.flat());
  return name === null ? null : (helpers.get(name) ?? null);
}

const nothing: Hash = Object.freeze(Object.create(null) as Hash);

/** Compiles the named arguments of a call; null if there are none. */
export function hashOf(call: Call, declared: Declared): ((frame: Frame, rendering: Rendering) => Hash) | null {
  const pairs = call.hash?.pairs ?? [];
  if (pairs.length === 0) return null;
  const values = pairs.map(({ key, value }) => [key, valueOf(value, declared)] as const);
  return (frame, rendering) => {
    const hash = Object.create(null) as Record<string, unknown>;
    for (const [key, value] of values) hash[key] = value(frame, rendering);
    return hash;
  };
}

/** Evaluates the arguments of a call and counts steps. */
export type Arguments = (frame: Frame, rendering: Rendering) => unknown[];

export function argumentsOf(call: Call, declared: Declared, place: Position): Arguments {
  const values = call.params.map((param) => valueOf(param, declared));
  const [first, second] = values;
  // Most calls have one or two arguments, and fixed-length arrays are faster.
  if (first !== undefined && values.length === 1) {
    return (frame, rendering) => {
      rendering.step(place);
      return [first(frame, rendering)];
    };
  }
  if (first !== undefined && second !== undefined && values.length === 2) {
    return (frame, rendering) => {
      rendering.step(place);
      return [first(frame, rendering), second(frame, rendering)];
    };
  }
  // Long argument lists count as several steps.
  const steps = 1 + Math.floor(values.length / 8);
  return (frame, rendering) => {
    rendering.step(place, steps);
    return values.map((value) => value(frame, rendering));
  };
}

/** Compiles a helper call to its value; null if the call refers to a variable. */
export function callValue(call: Call, declared: Declared): Value | null {
  const helper = helperOf(call, declared);
  if (helper === null || helper.kind === 'block') return null;
  const place = placeOfNode(call);
  const argumentsIn = argumentsOf(call, declared, place);
  if (helper.kind === 'comparison') return comparisonValue(call, declared, argumentsIn);
  const { value } = helper;
  return (frame, rendering) => {
    const args = argumentsIn(frame, rendering);
    rendering.place = place;
    return value(args, rendering);
  };
}

export function comparisonValue(
  call: Call,
  declared: Declared,
  argumentsIn: Arguments,
): (frame: Frame, rendering: Rendering) => boolean {
  const helper = helperOf(call, declared);
  if (helper?.kind !== 'comparison') throw new Error('a call of no comparison');
  const { holds } = helper;
  const place = placeOfNode(call);
  const hashIn = hashOf(call, declared);
  return (frame, rendering) => {
    const args = argumentsIn(frame, rendering);
    const hash = hashIn === null ? nothing : hashIn(frame, rendering);
    rendering.place = place;
    // Comparing reads its operands; long ones count as work.
    let size = 0;
    for (let i = 0; i < args.length; i++) {
      const arg = args[i];
      if (typeof arg === 'string') size += arg.length >> 3;
      else if (typeof arg === 'object') size += sizeOf(arg);
    }
    if (size > 0) rendering.handle(size);
    return holds(args, hash);
  };
}
