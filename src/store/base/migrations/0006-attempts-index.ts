// Attempts that were tried again are counted from an index of their own, and all other results from their keys
// (docs/decisions/0044).
import type { Dialect } from '../dialect.ts';

export function attemptsIndex(dialect: Dialect): string[] {
  return [...(dialect.attemptsIndex ?? [])];
}
