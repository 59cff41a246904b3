// Texts of the page of variables.
export const text = {
  title: 'Variables and secrets',
  help: 'Checks and templates use them as {{NAME}}. Variables of a group or check override those of the account.',
  empty: 'No variable yet.',
  columns: { name: 'Name', value: 'Value' },
  secret: 'Secret',
  hidden: 'hidden in logs',
  changeHelp: 'The next run of every check uses the new value.',
  removeHelp:
    'Checks that cannot run without it end without a verdict until it exists again. Names that a script builds itself are not found.',
  usesHelp: 'Names that a script builds itself are not found.',
  unused: 'No check, group or channel uses it.',
  newTitle: 'Add a variable',
  name: 'Name',
  nameExample: 'SHOP_URL',
  value: 'Value',
  isSecret: 'Secret',
  secretHelp: 'Never shown again, and not available in templates of channels.',
  add: 'Add variable',
} as const;
