// Texts of the ledger page.
import { plural } from '../../ui/text/format.ts';

export const text = {
  title: 'Ledger',
  intro:
    'Tocsin counts every run, alert and delivery when it is due, and compares these counts with what became of them. Both sides come from different sources.',
  soFar: 'so far',
  before: { day: 'Previous day', month: 'Previous month' },
  after: { day: 'Next day', month: 'Next month' },
  today: { day: 'Today', month: 'This month' },
  notPassed: 'Checks with runs that did not pass',
  allPassed: 'Every run with a stored result passed.',
  columns: { check: 'Check', degraded: 'Degraded', failed: 'Failed', unknown: 'Unknown', missed: 'Missed' },
  others: (others: number) => `${plural(others, 'other check')} with such runs.`,
  unstored: (runs: number) =>
    `The results of ${plural(runs, 'run')} are no longer stored. Deleting a check deletes its results; its runs still count.`,
  surplus: (runs: number) => `${plural(runs, 'more result')} stored than recorded.`,
} as const;
