// Headers and query parameters of a check and of its group, as they go together.
import type { ApiDefaults, KeyValue } from './settings.ts';

/** Headers that are ours: they frame the message. */
export const framing: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
]);

type Pairs = Pick<ApiDefaults, 'headers' | 'queryParameters'>;

/** Those of the group whose names the check does not have itself, then its own; headers without a name are none. */
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
