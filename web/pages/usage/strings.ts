// Texts of the usage page.
import type { AnswerOf } from '#contract/operations.ts';
import { count } from '../../ui/text/format.ts';

type UsageName = AnswerOf<'listUsage'>[number]['name'];

interface Line {
  readonly label: string;
  /** What happens at the limit. */
  readonly effect: string;
}

const refused = 'No more can be added until some are deleted, or an operator raises the limit.';

export const text = {
  title: 'Usage and limits',
  intro: 'The line below each bar says what happens when the limit is reached.',
  of: (used: number, limit: number) => `${count(used)} of ${count(limit)}`,
  unlimited: 'no limit',
  near: 'Almost used up',
  reached: 'Used up',
  sections: [
    {
      title: 'Resources',
      names: [
        'checks',
        'checkGroups',
        'alertChannels',
        'maintenanceWindows',
        'apiKeys',
        'variables',
        'variableBytes',
        'scriptFileBytes',
        'clientCertificates',
        'privateLocations',
        'snippets',
      ],
    },
    { title: 'Runs', names: ['runsOfMonth', 'runsOfHour', 'triggeredRuns', 'checkTrials'] },
    { title: 'Messages and records', names: ['emailsOfHour', 'statusEmailsOfHour', 'telephoneOfHour', 'auditEntries'] },
  ] satisfies readonly { readonly title: string; readonly names: readonly UsageName[] }[],
  lines: {
    checks: { label: 'Checks', effect: refused },
    checkGroups: { label: 'Groups', effect: refused },
    alertChannels: { label: 'Channels', effect: refused },
    maintenanceWindows: { label: 'Maintenance windows', effect: refused },
    apiKeys: { label: 'API keys', effect: refused },
    variables: { label: 'Variables', effect: refused },
    variableBytes: { label: 'Size of variables, bytes', effect: 'Variables cannot grow until some are deleted.' },
    scriptFileBytes: {
      label: 'Size of script files, bytes',
      effect: 'Further snapshots are refused. Files that no check uses are deleted after a day.',
    },
    clientCertificates: { label: 'Client certificates', effect: refused },
    privateLocations: { label: 'Private locations', effect: refused },
    snippets: { label: 'Snippets', effect: refused },
    statusPages: { label: 'Status pages', effect: refused },
    statusServices: { label: 'Services of status pages', effect: refused },
    statusIncidents: { label: 'Incidents of status pages', effect: refused },
    statusSubscribers: { label: 'Subscribers of status pages', effect: 'Pages take no further subscribers.' },
    runsOfMonth: {
      label: 'Runs this month (UTC)',
      effect: 'Scheduled runs are recorded as missed, and triggers are refused, until the next month.',
    },
    runsOfHour: { label: 'Runs in the last full hour', effect: '' },
    triggeredRuns: { label: 'Triggered runs that wait or run', effect: 'Triggers are refused until some have ended.' },
    checkTrials: {
      label: 'Stored trials of checks',
      effect: 'Further trials are refused until the result of one has been shown, or one is ten minutes old.',
    },
    emailsOfHour: {
      label: 'Emails this hour',
      effect: 'Further emails wait for the next hour, up to 24 hours. A quarter of the limit is kept for new failures.',
    },
    statusEmailsOfHour: {
      label: 'Emails to subscribers of status pages this hour',
      effect: 'Further emails wait for the next hour, up to 24 hours.',
    },
    telephoneOfHour: {
      label: 'SMS messages and calls this hour',
      effect: 'Further ones wait for the next hour, up to 24 hours. A quarter of the limit is kept for new failures.',
    },
    auditEntries: {
      label: 'Entries of the audit log',
      effect:
        'The oldest entries of the person or API key that has the most entries are deleted. A new entry says how many.',
    },
  } satisfies Record<UsageName, Line>,
} as const;
