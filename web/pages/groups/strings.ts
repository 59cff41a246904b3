// Texts of the page `groups`.
import { plural } from '../../ui/text/format.ts';

export const text = {
  title: 'Groups',
  columns: { name: 'Name', state: 'Members', tags: 'Tags', locations: 'Locations' },
  emptyTitle: 'No groups yet',
  empty: 'A group shares settings and channels between checks, and starts them together, for example from CI.',
  readOnly: 'Groups that others create appear here.',
  create: 'New group',
  total: (groups: number) => plural(groups, 'group'),
  ofChecks: 'Of each check',
} as const;
