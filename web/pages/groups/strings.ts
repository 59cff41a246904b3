// Texts of the page `groups`.
export const text = {
  title: 'Groups',
  columns: { name: 'Name', state: 'Members', tags: 'Tags', locations: 'Locations' },
  emptyTitle: 'No groups yet',
  empty: 'A group shares settings and channels between checks, and starts them together, for example from CI.',
  command: 'Command that creates a group',
  members: (failing: number, total: number) =>
    total === 0 ? 'No checks' : failing === 0 ? `${total} passing or unknown` : `${failing} of ${total} failing`,
  own: 'This server',
} as const;
