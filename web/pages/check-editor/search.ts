// Search parameters of the page that creates a check.

// A type, because the router takes no interface as search.
export type NewCheckSearch = {
  /** Check type; absent = it is chosen first. */
  readonly type?: string;
  /** ID of the check to start from. */
  readonly copy?: string;
};

export function newCheckSearch({ type, copy }: Record<string, unknown>): NewCheckSearch {
  return {
    ...(typeof type === 'string' && { type }),
    ...(typeof copy === 'string' && { copy }),
  };
}
