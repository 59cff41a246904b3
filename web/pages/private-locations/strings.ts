// Texts of the page of private locations.
export const text = {
  title: 'Private locations',
  help: 'Only checks of this account run there, for example behind your firewall.',
  empty: 'No private location yet.',
  columns: { name: 'Name', slug: 'Slug', processes: 'Processes', seen: 'Last seen' },
  none: 'None: runs wait',
  never: 'Not in the last 30 days',
  start: 'How to start',
  startTitle: (name: string) => `How to start ${name}`,
  startHelp:
    'Start a process there with the role runner and this variable. It uses the same PostgreSQL database as this server. Until it runs, runs wait, and are missed after ten minutes.',
  variable: 'Variable of the process',
  unused: 'No check or group names it.',
  removeHelp: 'Its processes continue to run and receive no other checks.',
  newTitle: 'Add a private location',
  name: 'Name',
  slug: 'Slug',
  slugExample: 'office',
  slugHelp: 'Lower-case letters, digits and hyphens. It is unique in the installation and cannot be changed.',
  add: 'Add location',
} as const;
