// Texts of the page `import`.
const things = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export const text = {
  title: 'Import',
  titleFrom: (label: string) => `Import from ${label}`,
  checks: 'Checks',
  choose: 'Where do your checks come from?',
  docs: 'What becomes what',
  file: (name: string) => `Open ${name}`,
  url: 'URL of the server to check',
  urlHelp: 'Needed if the document names no absolute URL.',
  options: 'Options',
  optionsNote: 'project',
  project: 'Project',
  projectHelp: 'Owns what is imported. To update it later, import into the same project again.',
  variables: 'Variables',
  variablesHelp: 'The configuration reads these variables. Enter their values, then preview again.',
  preview: 'Preview',
  comparing: 'Reading and comparing with this server…',
  slow: 'Reading took too long. Use the command line for this file.',
  notRead: 'The text could not be read. Use the command line for this file.',
  failed: (why: string) => `Nothing was imported: ${why}`,
  empty: 'Nothing in this text can be imported.',
  nothing: 'No changes: everything is up to date.',
  counts: (counts: {
    readonly created: number;
    readonly updated: number;
    readonly same: number;
    readonly left: number;
  }) =>
    [
      counts.created > 0 && `${counts.created} new`,
      counts.updated > 0 && `${counts.updated} changed`,
      counts.same > 0 && `${counts.same} up to date`,
      counts.left > 0 && `${counts.left} not carried over`,
    ]
      .filter((each) => each !== false)
      .join(', '),
  faults: (count: number) =>
    `The server refuses ${things(count, 'resource')}. Nothing can be imported until the text is corrected.`,
  import: (count: number) => `Import ${things(count, 'resource')}`,
  applying: 'Importing…',
  applied: 'Imported',
  appliedCounts: (created: number, updated: number) => `${created} created, ${updated} changed.`,
  channelsOff: 'New alert channels are switched off. Send each a test message, then switch it on.',
  openChannels: 'Alert channels',
  openChecks: 'Show checks',
  again: 'Import more',
  carried: 'What becomes what',
  notCarried: 'Not carried over',
  columns: {
    name: 'Name',
    kind: 'Type there',
    becomes: 'Becomes',
    status: 'On this server',
    notes: 'Notes',
    why: 'Reason',
  },
  status: { create: 'New', update: 'Changes', same: 'Up to date', refused: 'Refused' },
  done: { create: 'Created', update: 'Changed', same: 'Up to date', refused: 'Refused' },
  noEmail: 'Left out: email is not set up on this server',
  secret: 'secret value',
  nothingThere: 'nothing',
  showAll: (count: number) => `Show all ${count}`,
  commands: 'Commands',
  commandLines: 'Commands to run',
  commandsHelp: 'Run these commands where the file or the key is. The dry run shows what would change.',
  install: 'Install the command line',
};
