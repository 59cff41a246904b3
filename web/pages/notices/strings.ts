// Texts of the page `notices`.
export const text = {
  title: 'Notices',
  emptyTitle: 'Nothing needs attention',
  empty: 'Failing channels, checks without subscriptions, and problems of Tocsin itself appear here.',
  action: 'What to do:',
  since: 'Since',
} as const;
