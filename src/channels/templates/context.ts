// Makes of a delivery's variables what its templates look names up in: plain, capped, without a prototype.
import type { TemplateValue, TemplateVariables } from '#domain/alerts/template-variables.ts';
import { limits } from './budget.ts';
import { cut } from './text-helpers.ts';

/** What templates look names up in: no prototype, values as they are printed. */
export type TemplateContext = Readonly<Record<string, unknown>>;

/** What a rendering knows beside the variables; fixed per delivery, so that every attempt sends the same bytes. */
export interface RenderFacts {
  /** Epoch ms: what `moment` calls now. */
  readonly createdAt: number;
  /** A version-4 UUID: `$UUID`. */
  readonly uuid: string;
  /** Integer 0..1000: `$RANDOM_NUMBER`. */
  readonly randomNumber: number;
  /** Such as `Tocsin/0.1.0`. */
  readonly userAgent: string;
}

// Names that mean something to the template engine or to JavaScript itself.
const refusedNames = new Set(['__proto__', 'constructor', 'prototype', 'toHTML', 'call']);

// Nothing to inherit but this: the engine compares contexts loosely, which an object without any text form would not survive.
const prototype = Object.freeze(
  Object.assign(Object.create(null) as object, { [Symbol.toPrimitive]: () => '[object Object]' }),
);

function capped(value: TemplateValue): unknown {
  if (typeof value === 'string') return cut(value, limits.value);
  return Array.isArray(value) ? cappedList(value) : value;
}

/** A list is one value: its items share the length that a value may have. */
function cappedList(list: readonly string[]): string[] {
  const kept: string[] = [];
  let room: number = limits.value;
  for (const item of list) {
    if (kept.length === limits.tags || room <= 0) break;
    kept.push(cut(item, room));
    room -= item.length;
  }
  return kept;
}

/** Whether a context was made here, so that no name in it is inherited. */
export function ownsAllNames(context: object): boolean {
  return Object.getPrototypeOf(context) === prototype;
}

/** The names and values of one delivery's templates (decisions: Variables, Limits). */
export function contextOf(variables: TemplateVariables, facts: RenderFacts): TemplateContext {
  const context = Object.create(prototype) as Record<string, unknown>;
  for (const name of Object.keys(variables)) {
    if (!refusedNames.has(name)) context[name] = capped(variables[name]);
  }
  context['$UUID'] = facts.uuid;
  context['$RANDOM_NUMBER'] = facts.randomNumber;
  return context;
}
