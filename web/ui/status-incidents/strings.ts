// Texts of incidents of status pages wherever they are shown.
import { plural } from '../text/format.ts';

export const text = {
  publish: 'Publish',
  publishLabel: (name: string) => `Publish ${name}`,
  publishTitle: (name: string) => `Publish ${name}?`,
  publishedNow: (name: string) => `Published ${name}`,
  /** Subscribers may have chosen other services. */
  notifies: (subscribers: number, channels: number) =>
    subscribers + channels === 0
      ? 'No notifications will be sent: its pages have no subscribers and no channels.'
      : `Up to ${plural(subscribers, 'subscriber')} and ${plural(channels, 'channel')} are notified a minute later.`,
  shownOn: 'Shown on ',
  shownOnAll: 'Without services, it is shown on all pages: ',
  noPages: 'The account has no status page.',
  shownNowhere: 'No page shows one of its services. Visitors do not see it.',
  incidents: 'Incidents of status pages',
  draft: 'Draft incident',
  published: 'Published incident',
  began: 'Began',
  unseen: 'Visitors do not see it.',
  publishedIn: 'Published automatically',
  addUpdate: 'Add update',
  severities: [
    ['MINOR', 'Minor'],
    ['MEDIUM', 'Medium'],
    ['MAJOR', 'Major'],
    ['CRITICAL', 'Critical'],
  ],
  statuses: [
    ['INVESTIGATING', 'Investigating'],
    ['IDENTIFIED', 'Identified'],
    ['MONITORING', 'Monitoring'],
    ['RESOLVED', 'Resolved'],
  ],
} as const;

/** The word for the status of an incident. */
export function statusText(status: string): string {
  return text.statuses.find(([each]) => each === status)?.[1] ?? status;
}
