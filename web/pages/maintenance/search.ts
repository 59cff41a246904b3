// Search parameters of the page of maintenance windows.
import { textParameter } from '../../ui/text/search-parameters.ts';

export interface MaintenanceSearch {
  /** `2026-11`. Default: the current one. */
  readonly month?: string;
  /** IANA name. Default: the zone of the account, or else of the browser. */
  readonly zone?: string;
}

export function maintenanceSearch(search: Record<string, unknown>): MaintenanceSearch {
  const { month } = search;
  const isMonth = typeof month === 'string' && /^\d{4}-(0[1-9]|1[0-2])$/.test(month);
  return { ...(isMonth && { month }), ...textParameter(search, 'zone') };
}
