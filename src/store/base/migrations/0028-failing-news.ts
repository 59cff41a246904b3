// What a failing channel is reported with, and to whom (docs/decisions/0026).
import type { Dialect } from '../dialect.ts';

/** `failing_news`: 1 = its failing is to be reported, 2 = its recovery is; null = nothing. */
export function failingNews({ types }: Dialect): string[] {
  const add = (column: string): string => `ALTER TABLE alert_channels ADD COLUMN ${column}`;
  return [
    add(`failing_news ${types.code}`),
    add(`failing_reason ${types.text}`),
    add(`failing_delivery_id ${types.id}`),
    add(`failing_told ${types.text}`),
    'CREATE INDEX alert_channels_with_news ON alert_channels (account_id, id) WHERE failing_news IS NOT NULL',
  ];
}
