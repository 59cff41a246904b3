// Search parameters of the list of certificates.

export const ranges = ['30', '90', 'all'] as const;

export interface CertificatesSearch {
  /** Days, or all certificates. Default: 30. */
  readonly within?: Exclude<(typeof ranges)[number], '30'>;
}

export function certificatesSearch(search: Record<string, unknown>): CertificatesSearch {
  const within = ranges.find((range) => range === String(search['within']));
  return within === undefined || within === '30' ? {} : { within };
}
