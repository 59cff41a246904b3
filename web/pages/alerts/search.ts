// Search parameters of the alerts page.
import { isRange, type Range } from '../../ui/text/range.ts';

export interface AlertsSearch {
  /** Default: 24 hours. */
  readonly range?: Range;
  /** Only open incidents. */
  readonly open?: true;
}

export function alertsSearch(search: Record<string, unknown>): AlertsSearch {
  return {
    ...(isRange(search['range']) && { range: search['range'] }),
    ...((search['open'] === true || search['open'] === 'true') && { open: true as const }),
  };
}
