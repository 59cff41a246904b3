// All helpers of alert templates. Nothing else can be called (decisions: Helper set).
import { comparisonHelpers } from './comparison-helpers.ts';
import type { BlockHelper, Helper, ValueHelper } from './helper.ts';
import { textHelpers } from './text-helpers.ts';
import { timeHelpers } from './time-helpers.ts';

function block(least: number, max: number): BlockHelper {
  return { kind: 'block', least, max };
}

/** An array item, a character or a variable by name. Own properties only. */
const lookup: ValueHelper = {
  kind: 'value',
  least: 2,
  value: ([from, key]) => {
    if (from === undefined || from === null || (typeof key !== 'string' && typeof key !== 'number')) return undefined;
    const holder = Object(from) as Record<string, unknown>;
    return Object.hasOwn(holder, key) ? holder[key] : undefined;
  },
};

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

/** Per-delivery values whose names start with `$`. */
export const dollarNames = ['$UUID', '$RANDOM_NUMBER'] as const;
