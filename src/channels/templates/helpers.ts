// The whole helper set of alert templates: nothing else can be called from one (decisions: Helper set).
import { comparisonHelpers } from './comparison-helpers.ts';
import type { BlockHelper, Helper, ValueHelper } from './helper.ts';
import { textHelpers } from './text-helpers.ts';
import { timeHelpers } from './time-helpers.ts';

function block(least: number, most: number): BlockHelper {
  return { kind: 'block', least, most };
}

/** One item of an array or text, or one variable by name; only what is the value's own, never what it inherits. */
const lookup: ValueHelper = {
  kind: 'value',
  least: 2,
  value: ([from, key]) => {
    if (from === undefined || from === null || (typeof key !== 'string' && typeof key !== 'number')) return undefined;
    const holder = Object(from) as Record<string, unknown>;
    return Object.hasOwn(holder, key) ? holder[key] : undefined;
  },
};

/** Every helper by name. */
export const helpers: ReadonlyMap<string, Helper> = new Map<string, Helper>([
  ['if', block(1, 1)],
  ['unless', block(1, 1)],
  ['each', block(1, 1)],
  ['with', block(1, 1)],
  ['lookup', lookup],
  ...Object.entries(comparisonHelpers),
  ...Object.entries(textHelpers),
  ...Object.entries(timeHelpers),
]);

/** Values of one delivery that are spelled with a `$`. */
export const dollarNames = ['$UUID', '$RANDOM_NUMBER'] as const;
