// Texts of the page `certificates`.
export const text = {
  title: 'Certificates',
  help: 'The certificates that HTTPS and SSL checks last saw. If another certificate of the chain expires before that of the host, it is listed.',
  within: 'Expiring',
  ranges: { '30': 'Within 30 days', '90': 'Within 90 days', all: 'At any time' },
  columns: { host: 'Host', check: 'Check', issuer: 'Issuer', ends: 'Ends', left: 'Left' },
  unknownIssuer: 'Unknown',
  seen: 'last seen',
  none: (days: string) => `No certificate expires within ${days} days`,
  showAll: 'Show all certificates',
  noneSeen: 'No certificate was seen yet',
  noneSeenHelp: 'Checks of https addresses and SSL checks record the certificate that they see.',
} as const;
