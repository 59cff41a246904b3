// Builds the variables for templates: plain, capped, without a prototype.
import type { TemplateValue, TemplateVariables } from '#domain/deliveries/template-variables.ts';
import { limits } from './budget.ts';
import { cut } from './text-helpers.ts';

/** Variables for templates, without inherited names. */
export type TemplateContext = Readonly<Record<string, unknown>>;

/** Other inputs of a rendering. They are fixed per delivery, so that every attempt sends the same bytes. */
export interface RenderFacts {
  /** Time used by `moment`, epoch ms. */
  readonly createdAt: number;
  /** A version-4 UUID: `$UUID`. */
  readonly uuid: string;
  /** Integer 0..1000: `$RANDOM_NUMBER`. */
  readonly randomNumber: number;
  /** Such as `Tocsin/0.1.0`. */
  readonly userAgent: string;
  /** IANA name of the zone in which times are written for people. */
  readonly timeZone: string;
  /** ID of the channel. A preview of a channel that is not saved has none. */
  readonly channelId?: number;
}

// Names with a meaning in the template engine or in JavaScript.
const refusedNames = new Set(['__proto__', 'constructor', 'prototype', 'toHTML', 'call']);

// The engine compares contexts loosely, which fails for objects without a text form.
const prototype = Object.freeze(
  Object.assign(Object.create(null) as object, { [Symbol.toPrimitive]: () => '[object Object]' }),
);

function capped(value: TemplateValue): unknown {
  if (typeof value === 'string') return cut(value, limits.value);
  return Array.isArray(value) ? cappedList(value) : value;
}

/** A list counts as one value: its items share the length limit. */
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

/** Whether a context was created here and so has no inherited names. */
export function ownsAllNames(context: object): boolean {
  return Object.getPrototypeOf(context) === prototype;
}

/** Creates the context of a delivery (decisions: Variables, Limits). */
export function contextOf(
  variables: TemplateVariables,
  facts: Pick<RenderFacts, 'uuid' | 'randomNumber'>,
): TemplateContext {
  const context = Object.create(prototype) as Record<string, unknown>;
  for (const name of Object.keys(variables)) {
    if (!refusedNames.has(name)) context[name] = capped(variables[name]);
  }
  context['$UUID'] = facts.uuid;
  context['$RANDOM_NUMBER'] = facts.randomNumber;
  return context;
}
