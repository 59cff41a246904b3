// Search parameters of the reports page.

export interface ReportsSearch {
  /** Default: week. */
  readonly every?: 'month';
  /** A time in the period, ISO 8601. Default: the last complete one. */
  readonly at?: string;
  /** IANA name. Default: that of the account. */
  readonly timezone?: string;
}

export function reportsSearch({ every, at, timezone }: Record<string, unknown>): ReportsSearch {
  return {
    ...(every === 'month' && { every }),
    ...(typeof at === 'string' && !Number.isNaN(Date.parse(at)) && { at: new Date(at).toISOString() }),
    ...(typeof timezone === 'string' && timezone !== '' && { timezone }),
  };
}
