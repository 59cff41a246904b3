// Texts of settings that checks and groups share.
export const text = {
  locations: 'Locations',
  retry: 'Retry a failed run',
  never: 'Never',
  retryTypes: [
    ['SINGLE_RETRY', 'Once'],
    ['FIXED', 'Several times, after the same pause'],
    ['LINEAR', 'Several times, with longer pauses'],
    ['EXPONENTIAL', 'Several times, with doubled pauses'],
  ],
  pause: 'First pause',
  seconds: 's',
  maxRetries: 'Retries at most',
  maxDuration: 'No retry starts after',
  networkOnly: 'Retry only network errors',
  sameLocation: 'Retry at the same location',
  channels: 'Notify',
  noChannels: 'There is no channel yet. Without one, nobody learns of a failure.',
  tags: 'Tags',
  tagsHelp: 'Separated by commas.',
  tagsExample: 'shop, team:core',
  runtime: 'Runtime',
} as const;
