// Texts of the page `wall`.
import { count as shown } from '../../ui/text/format.ts';

export const text = {
  title: 'Wallboard',
  fullScreen: 'Full screen',
  leave: 'Leave the wallboard',
  tag: 'Tag',
  group: 'Group',
  allGroups: 'All groups',
  noGroup: 'Without a group',
  byGroup: 'Groups',
  allPassing: (count: number) => `All ${shown(count)} checks are passing`,
  counts: (count: number, word: string) => `${shown(count)} ${word.toLowerCase()}`,
  more: (count: number) => `and ${shown(count)} more`,
  empty: 'No check matches this wallboard.',
  notLive: 'Not live since',
  acknowledged: 'Acknowledged',
  flapping: 'Flapping',
} as const;
