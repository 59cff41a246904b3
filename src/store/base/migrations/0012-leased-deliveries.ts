// What is under way is found without a look at what waits, where several processes deliver (docs/decisions/0071).
import type { Dialect } from '../dialect.ts';

export function leasedDeliveries(dialect: Dialect): string[] {
  return dialect.leasedDeliveries();
}
