// Texts about who would be notified if a check failed.
export const notified = {
  title: 'If this check fails',
  nobodyNow: 'Nobody would be notified now:',
  decided: 'Set by',
  allDefault: 'These are the defaults. Change them for',
  alertDefault: 'The time of the alert is the default. Change it for',
  decidedAlert: 'The time of the alert is set by',
  decidedRest: 'The rest is set by',
  places: {
    check: 'this check',
    group: 'its group',
    account: 'the account',
    default: 'the account',
  },
  noChannel: 'No channel is subscribed to this check or its group.',
  noFailures: 'No subscribed channel receives failures.',
  subscribe: 'Choose channels',
  channels: 'Channels',
  receives: (failure: boolean, recovery: boolean) =>
    failure
      ? recovery
        ? 'is notified of the failure and of the recovery'
        : 'is notified of the failure only'
      : recovery
        ? 'is notified of the recovery only'
        : 'is not notified: it does not receive failures',
  afterMinutes: (minutes: number) => `· only if the alert is still open and not acknowledged after ${minutes} min`,
  escalates: '· waits for the open alert until',
  through: 'through',
  theGroup: 'the group',
  waitsUntil: '· outside its active hours: waits until',
  insteadUntil: '· outside its active hours, instead of it until',
  failing: 'deliveries fail since',
  dependency: 'It depends on a check that is failing:',
  untilItRecovers: '(until it recovers)',
  maintenance: 'A maintenance window is open:',
  reasons: {
    paused: (isGroup: boolean) => (isGroup ? 'Its group is paused.' : 'The check is paused.'),
    muted: (isGroup: boolean) => (isGroup ? 'Its group is muted' : 'The check is muted'),
    'muted-until-recovery': (isGroup: boolean) =>
      isGroup ? 'Its group is muted until its checks recover.' : 'The check is muted until it recovers.',
  },
  until: 'until',
  dependsOn: 'Depends on',
  neededBy: 'Depend on it',
  allOf: (group: string) => `All checks of ${group}`,
  andMore: 'and more',
} as const;
