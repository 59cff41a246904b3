// Search parameters of the page `import`.

// A type, because the router takes no interface as search.
export type ImportSearch = {
  /** What is imported, such as `gatus`; absent = it is chosen first. */
  readonly from?: string;
};

export function importSearch({ from }: Record<string, unknown>): ImportSearch {
  return typeof from === 'string' ? { from } : {};
}
