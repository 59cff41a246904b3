// Texts of the page `account`.
export const text = {
  title: 'Account',
  name: 'Name',
  id: 'ID',
  times: 'Times in messages',
  timeZone: 'Time zone',
  explained:
    'Emails, chat, SMS messages and calls show times in this zone, and so do the pages that they link to. ' +
    'The pages of this web UI use the zone of your browser.',
  ofServer: (zone: string) => `Server’s time zone (${zone})`,
  now: (time: string) => `Current time: ${time}. Weeks and months of new reports begin in this zone.`,
  badges: 'Badges',
  badgesExplained: 'Anyone who has the link of a badge sees the state of its check or group without signing in.',
  revoke: 'Revoke all badge links',
  revokeTitle: 'Revoke all badge links?',
  revokeHelp:
    'The badges of this account disappear from all pages that show them. Their new links are in the menus of checks and groups.',
  revoked: 'Revoked all badge links',
  changed: (zone: string) => `Messages now show times in ${zone}`,
} as const;
