// Search parameters of the ledger page.

export interface LedgerSearch {
  /** Default: day. */
  readonly period?: 'month';
  /** A time in the period, ISO 8601. Default: now. */
  readonly at?: string;
}

export function ledgerSearch({ period, at }: Record<string, unknown>): LedgerSearch {
  return {
    ...(period === 'month' && { period }),
    ...(typeof at === 'string' && !Number.isNaN(Date.parse(at)) && { at: new Date(at).toISOString() }),
  };
}
