// What a helper is: a pure function of its arguments, and how it may be written in a template.
import type { Place } from './template-error.ts';

/** Named arguments of a call, as in `{{eq A compare='x'}}`. */
export type Hash = Readonly<Record<string, unknown>>;

/** What a helper may know beside its arguments. */
export interface Scope {
  /** Epoch ms: when the delivery was created. All times are in UTC. */
  readonly now: number;
  /** Where the call stands. */
  readonly place: Place;
  /** Notes that `length` characters will be read or made, and ends the rendering when that is too much. */
  handle(length: number): void;
}

interface Written {
  /** How many arguments it needs. */
  readonly least: number;
  /** At save: what is wrong with these arguments, null when nothing is. Variables come as undefined. */
  readonly fault?: (literals: readonly unknown[]) => string | null;
}

/** Says yes or no: `{{#eq A 'x'}}…{{else}}…{{/eq}}`, `{{eq A 'x'}}` and `(eq A 'x')`. */
export interface Comparison extends Written {
  readonly kind: 'comparison';
  readonly holds: (args: readonly unknown[], hash: Hash) => boolean;
}

/** Makes text of a text: `{{trim X}}`, `(trim X)`, and around a block, `{{#trim}}…{{/trim}}`. */
export interface TextHelper extends Written {
  readonly kind: 'text';
  /** Printed as it is, also between double braces, because escaping it once more would break it. */
  readonly verbatim?: true;
  readonly value: (args: readonly unknown[], scope: Scope) => unknown;
}

/**
 * Makes a value of its arguments: `{{moment 'X'}}` and `(moment 'X')`. As a block it goes into the value:
 * `{{#tagValue TAGS 'env'}}{{this}}{{else}}…{{/tagValue}}`, once for each item of a list.
 */
export interface ValueHelper extends Written {
  readonly kind: 'value';
  readonly value: (args: readonly unknown[], scope: Scope) => unknown;
}

/** Decides what is rendered: `{{#each TAGS}}…{{/each}}`; only as a block. */
export interface BlockHelper extends Written {
  readonly kind: 'block';
  /** The most arguments it takes. */
  readonly most: number;
}

export type Helper = Comparison | TextHelper | ValueHelper | BlockHelper;
