// Comparisons of assertions in words.

/** By the name that the API uses. */
export const comparisons: Readonly<Record<string, string>> = {
  EQUALS: 'equals',
  NOT_EQUALS: 'does not equal',
  HAS_KEY: 'has the key',
  NOT_HAS_KEY: 'does not have the key',
  HAS_VALUE: 'has the value',
  NOT_HAS_VALUE: 'does not have the value',
  IS_EMPTY: 'is empty',
  NOT_EMPTY: 'is not empty',
  GREATER_THAN: 'is greater than',
  LESS_THAN: 'is less than',
  CONTAINS: 'contains',
  NOT_CONTAINS: 'does not contain',
  IS_NULL: 'is null',
  NOT_NULL: 'is not null',
};

/** Whether a comparison has no target. */
export function isUnary(comparison: string): boolean {
  return /^(IS|NOT)_(EMPTY|NULL)$/.test(comparison);
}
