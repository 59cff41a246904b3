// Search parameters of the wall.
import { textParameter } from '../../ui/text/search-parameters.ts';

/** Checks on the wall; absent = all. */
export interface WallSearch {
  readonly tag?: string;
  readonly groupId?: string;
}

export function wallSearch(search: Record<string, unknown>): WallSearch {
  const text = (name: string) => textParameter(search, name);
  return { ...text('tag'), ...text('groupId') };
}
