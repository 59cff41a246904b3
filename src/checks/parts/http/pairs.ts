// Merges headers and query parameters of a check and its group.
import type { ApiDefaults, KeyValue } from './schema.ts';

/** Headers set by Tocsin: they frame the message. */
export const framing: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
]);

type Pairs = Pick<ApiDefaults, 'headers' | 'queryParameters'>;

/** Group pairs whose names the check does not set, then the check's own. Headers without a name are dropped. */
export function mergedPairs(which: keyof Pairs, group: Pairs, own: Pairs): readonly KeyValue[] {
  const isHeader = which === 'headers';
  const nameOf = ({ key }: KeyValue): string => (isHeader ? key.toLowerCase() : key);
  const merged = group[which].length === 0 ? own[which] : joined(group[which], own[which], nameOf);
  return isHeader ? merged.filter(({ key }) => key.trim() !== '') : merged;
}

function joined(
  inherited: readonly KeyValue[],
  own: readonly KeyValue[],
  nameOf: (pair: KeyValue) => string,
): readonly KeyValue[] {
  const names = new Set(own.map(nameOf));
  return [...inherited.filter((pair) => !names.has(nameOf(pair))), ...own];
}
