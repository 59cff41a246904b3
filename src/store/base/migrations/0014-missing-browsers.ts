// Which processes have no Chromium for the checks that they run, and which checks need one.
import type { Dialect } from '../dialect.ts';

/** The checks are few among many, and asked for by themselves. */
export function missingBrowsers({ types }: Dialect): string[] {
  return [
    `ALTER TABLE processes ADD COLUMN no_browser_since ${types.instant}`,
    `CREATE INDEX checks_in_browsers ON checks (account_id, id) WHERE check_type = 'BROWSER'`,
  ];
}
