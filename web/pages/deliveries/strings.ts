// Texts of the page `deliveries`.
export const text = {
  title: 'Deliveries',
  status: 'Status',
  anyStatus: 'Any status',
  channel: 'Channel',
  anyChannel: 'All channels',
  anyTime: 'Show any time',
  emptyTitle: 'No deliveries',
  empty: 'A delivery appears here when an alert is sent to a channel.',
  noMatch: 'No delivery matches these filters.',
  replayAll: 'Replay failed…',
  replayTitle: 'Replay failed deliveries',
  replayQuestion: (channel: string, range: string) =>
    `Sends every delivery of ${channel} again that was not received in the ${range.toLowerCase()}. Each replay is a new delivery.`,
  replay: 'Replay',
  replayed: (count: number) => (count === 0 ? 'Every delivery was received' : `${count} deliveries are replayed`),
  columns: {
    alert: 'Alert',
    check: 'Check',
    status: 'Status',
    channel: 'Channel',
    created: 'Created',
    next: 'Next attempt',
    attempts: 'Attempts',
  },
} as const;
