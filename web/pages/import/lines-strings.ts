// Texts of the form that adds many checks.
export const text = {
  help: 'One check on each line: a target, or name, target, interval and tags. A CSV file may name its columns in the first line. A pasted curl command becomes an API check.',
  lines: 'Lines',
  linesExample: (examples: readonly string[]) => ['Shop, https://shop.example/, 1m, shop', ...examples].join('\n'),
  file: 'Open a CSV file',
  interval: 'Interval, if a line has none',
  tags: 'Tags of all these checks',
  tagsExample: 'shop, production',
  group: 'Group',
  noGroup: 'No group',
  preview: 'What becomes of the lines',
  columns: {
    line: 'Line',
    name: 'Name',
    type: 'Type',
    target: 'Target',
    interval: 'Interval',
    tags: 'Tags',
    verdict: 'Result',
  },
  right: 'Will be created',
  checking: 'Checking…',
  counts: (right: number, wrong: number) =>
    `${right} of ${right + wrong} ${right + wrong === 1 ? 'line' : 'lines'} can be created${wrong === 0 ? '' : `; ${wrong} ${wrong === 1 ? 'has' : 'have'} an error`}.`,
  create: (count: number) => `Create ${count} ${count === 1 ? 'check' : 'checks'}`,
  created: (count: number) => `Created ${count} ${count === 1 ? 'check' : 'checks'}`,
  leftOver: 'The lines with errors are still below. Correct or delete them.',
  tooMany: (most: number, more: number) =>
    `At most ${most} checks at once: remove ${more} ${more === 1 ? 'line' : 'lines'}.`,
  leftOut: (notes: readonly string[]) => `Left out: ${notes.join('; ')}`,
};
