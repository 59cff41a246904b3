// The types of template helpers, which are pure functions.
import type { Position } from './template-error.ts';

/** Named arguments of a call, as in `{{eq A compare='x'}}`. */
export type Hash = Readonly<Record<string, unknown>>;

/** Context of a helper call. */
export interface Scope {
  /** Creation time of the delivery, epoch ms. */
  readonly now: number;
  /** IANA name of the zone of the account. Only `localTime` uses it. */
  readonly timeZone: string;
  readonly place: Position;
  /** Counts `length` processed characters. Throws if the limit is exceeded. */
  handle(length: number): void;
}

interface Written {
  /** Minimum number of arguments. */
  readonly least: number;
  /** Returns what is wrong with the arguments on save, or null. Variables are undefined. */
  readonly fault?: (literals: readonly unknown[]) => string | null;
}

/** Returns a boolean: `{{#eq A 'x'}}…{{else}}…{{/eq}}`, `{{eq A 'x'}}` and `(eq A 'x')`. */
export interface Comparison extends Written {
  readonly kind: 'comparison';
  readonly holds: (args: readonly unknown[], hash: Hash) => boolean;
}

/** Transforms a text: `{{trim X}}`, `(trim X)`, and as a block, `{{#trim}}…{{/trim}}`. */
export interface TextHelper extends Written {
  readonly kind: 'text';
  /** Whether the output is never HTML-escaped, because escaping would break it. */
  readonly verbatim?: true;
  readonly value: (args: readonly unknown[], scope: Scope) => unknown;
}

/**
 * Returns a value: `{{moment 'X'}}` and `(moment 'X')`. As a block it enters the value, or each item of a list:
 * `{{#tagValue TAGS 'env'}}{{this}}{{else}}…{{/tagValue}}`.
 */
export interface ValueHelper extends Written {
  readonly kind: 'value';
  readonly value: (args: readonly unknown[], scope: Scope) => unknown;
}

/** Controls what is rendered: `{{#each TAGS}}…{{/each}}`. Only allowed as a block. */
export interface BlockHelper extends Written {
  readonly kind: 'block';
  /** Maximum number of arguments. */
  readonly max: number;
}

export type Helper = Comparison | TextHelper | ValueHelper | BlockHelper;
