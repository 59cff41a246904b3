// Search parameters of the page that creates a group.

// A type, because the router takes no interface as search.
export type NewGroupSearch = {
  /** ID of the group to start from. */
  readonly copy?: number;
};

export function newGroupSearch({ copy }: Record<string, unknown>): NewGroupSearch {
  const id = Number(copy);
  return Number.isInteger(id) && id > 0 ? { copy: id } : {};
}
