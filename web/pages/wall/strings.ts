// Texts of the page `wall`.
export const text = {
  title: 'Wallboard',
  fullScreen: 'Full screen',
  leave: 'Leave the wallboard',
  tag: 'Tag',
  group: 'Group',
  allGroups: 'All groups',
  allPassing: (count: number) => `All ${count} checks are passing`,
  counts: (count: number, word: string) => `${count} ${word.toLowerCase()}`,
  more: (count: number) => `and ${count} more`,
  empty: 'No check matches this wallboard.',
  notLive: 'Not live since',
  acknowledged: 'Acknowledged',
  flapping: 'Flapping',
} as const;
