import type { Dialect } from '../dialect.ts';

/** When a channel was last sent what is open, and how often it was reminded of it. */
export function reminders({ types }: Dialect): string[] {
  return [
    `ALTER TABLE told ADD COLUMN told_at ${types.instant}`,
    `ALTER TABLE told ADD COLUMN reminders ${types.integer}`,
  ];
}
