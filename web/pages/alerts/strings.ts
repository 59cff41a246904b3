// Texts of the page `alerts`.
export const text = {
  title: 'Alerts',
  openIncidents: 'Open incidents',
  resolvedIncidents: 'Resolved incidents',
  certificates: 'Certificates',
  suppressed: 'Suppressed alerts',
  range: 'Range',
  show: 'Show',
  all: 'Open and resolved',
  open: 'Open only',
  emptyTitle: 'No alerts',
  empty: (range: string) => `No alerts in the ${range.toLowerCase()}.`,
  noneOpen: 'No incident is open.',
} as const;
