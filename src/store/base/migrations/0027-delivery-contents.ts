// What deliveries are rendered from (docs/decisions/0120).
import type { Dialect } from '../dialect.ts';

export function deliveryContents({ types, strict }: Dialect): string[] {
  const { id, text } = types;
  return [
    `CREATE TABLE delivery_contents (account_id ${id} NOT NULL, delivery_id ${id} NOT NULL, content ${text} NOT NULL,
      PRIMARY KEY (account_id, delivery_id))${strict}`,
  ];
}
