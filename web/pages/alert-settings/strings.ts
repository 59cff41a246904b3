// Texts of the page `alert-settings`.
export const text = {
  title: 'Alert settings',
  about: 'These settings apply to every check that has none of its own and none of its group.',
  inEffect: (words: string) => `${words}.`,
  digest: 'Group notifications from',
  digestUnit: 'checks a minute',
  digestHelp:
    'If more checks than this start to fail or recover within a minute, email, Slack, SMS and call channels get one notification for all of them. 0 = never.',
  save: 'Save changes',
  thisAccount: 'this account',
  saved: 'Saved the alert settings',
  readOnly: 'An admin of this account can change them.',
  startOver: 'Back to what is saved',
  others: 'Settings elsewhere',
  othersHelp: 'Groups that decide for their checks:',
  noGroups: 'No group decides the alert settings of its checks.',
} as const;
