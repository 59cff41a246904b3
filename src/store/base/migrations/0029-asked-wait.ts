// Receivers that ask to wait with Retry-After (docs/decisions/0121).
import type { Dialect } from '../dialect.ts';

/** `asked_until`: no first attempt goes to the channel before this instant; null = the receiver asked for nothing. */
export function askedWait({ types }: Dialect): string[] {
  return [`ALTER TABLE alert_channels ADD COLUMN asked_until ${types.instant}`];
}
