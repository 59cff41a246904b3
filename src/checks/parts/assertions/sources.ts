// Sources and comparisons of assertions, as data that the web UI uses, too (reference §4.3).

/** Sources of all check kinds. The order is part of the stored format: append only. */
export const sources = [
  'STATUS_CODE',
  'JSON_BODY',
  'HEADERS',
  'TEXT_BODY',
  'RESPONSE_TIME',
  'RESPONSE_DATA',
  'RESPONSE_CODE',
  'TEXT_ANSWER',
  'JSON_ANSWER',
  'LATENCY',
  'JSON_RESPONSE',
  'TEXT_RESPONSE',
  'CERTIFICATE',
  'CONNECTION',
] as const;
export type AssertionSource = (typeof sources)[number];

/** Type of a source's value. A field is one of several values selected by the property. */
export type SourceSort = 'number' | 'word' | 'text' | 'headers' | 'json' | 'field';

export const comparisons = [
  'EQUALS',
  'NOT_EQUALS',
  'HAS_KEY',
  'NOT_HAS_KEY',
  'HAS_VALUE',
  'NOT_HAS_VALUE',
  'IS_EMPTY',
  'NOT_EMPTY',
  'GREATER_THAN',
  'LESS_THAN',
  'CONTAINS',
  'NOT_CONTAINS',
  'IS_NULL',
  'NOT_NULL',
] as const;
export type Comparison = (typeof comparisons)[number];

/** Type of each source. */
export const sortOf: Readonly<Record<AssertionSource, SourceSort>> = {
  STATUS_CODE: 'number',
  JSON_BODY: 'json',
  HEADERS: 'headers',
  TEXT_BODY: 'text',
  RESPONSE_TIME: 'number',
  RESPONSE_DATA: 'text',
  RESPONSE_CODE: 'word',
  TEXT_ANSWER: 'text',
  JSON_ANSWER: 'json',
  LATENCY: 'number',
  JSON_RESPONSE: 'json',
  TEXT_RESPONSE: 'text',
  CERTIFICATE: 'field',
  CONNECTION: 'field',
};

/** Allowed properties of sources with several values. */
export const propertiesOf: Readonly<Partial<Record<AssertionSource, readonly string[]>>> = {
  LATENCY: ['avg', 'min', 'max', 'stdDev'],
  CERTIFICATE: [
    'daysUntilExpiry',
    'subjectCN',
    'issuerCN',
    'serialNumber',
    'fingerprintSha256',
    'issuerFingerprintSha256',
    'keySizeBits',
    'keyAlgorithm',
    'signatureAlgorithm',
    'sans',
    'selfSigned',
    'isCA',
  ],
  CONNECTION: [
    'tlsVersion',
    'cipherSuite',
    'hostnameVerified',
    'chainTrusted',
    'ocspStapled',
    'ocspStatus',
    'resolvedIp',
  ],
};

const numeric: readonly Comparison[] = ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN'];
const ofKeys: readonly Comparison[] = ['HAS_KEY', 'NOT_HAS_KEY', 'HAS_VALUE', 'NOT_HAS_VALUE'];
const withoutKeys = comparisons.filter((comparison) => !ofKeys.includes(comparison));
const comparisonsOfSort: Readonly<Record<SourceSort, readonly Comparison[]>> = {
  number: numeric,
  word: ['EQUALS', 'NOT_EQUALS'],
  text: withoutKeys,
  headers: comparisons,
  json: comparisons,
  field: withoutKeys,
};

/** Comparisons that a source supports. */
export function comparisonsOf(source: AssertionSource): readonly Comparison[] {
  return comparisonsOfSort[sortOf[source]];
}
