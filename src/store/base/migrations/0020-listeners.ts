// Where each process listens, so that no check of another process reaches it (docs/decisions/0027).
import type { Dialect } from '../dialect.ts';

/** Null for a process of an older version. */
export function listeners({ types }: Dialect): string[] {
  return [`ALTER TABLE processes ADD COLUMN listeners ${types.text}`];
}
