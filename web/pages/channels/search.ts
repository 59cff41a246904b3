// Search parameters of the page that creates a channel.

// A type, because the router takes no interface as search.
export type NewChannelSearch = {
  /** Channel type; absent = it is chosen first. */
  readonly type?: string;
  /** Preset of a webhook. */
  readonly preset?: string;
};

export function newChannelSearch({ type, preset }: Record<string, unknown>): NewChannelSearch {
  return {
    ...(typeof type === 'string' && { type }),
    ...(typeof preset === 'string' && { preset }),
  };
}
