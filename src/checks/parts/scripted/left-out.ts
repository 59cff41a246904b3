// Warnings about files of a run that were not stored.
import type { LeftOutAsset } from '#domain/checks/script.ts';

const reasons: Readonly<Record<LeftOutAsset['why'], string>> = {
  size: 'the limit is 10 MB per file',
  total: 'the limit is 20 MB per run',
  count: 'too many files',
  content: 'the content is not valid',
};

/** One message per file type and reason. */
export function leftOutWarnings(leftOut: readonly LeftOutAsset[]): string[] {
  const alike = Map.groupBy(leftOut, ({ sort, why }) => `${sort} ${why}`);
  return [...alike.values()].flatMap((assets) => {
    const [first] = assets;
    if (first === undefined) return [];
    const { sort, why } = first;
    const what = assets.length === 1 ? `a ${sort}` : `${assets.length} ${sort}s`;
    const bytes = assets.reduce((sum, asset) => sum + (asset.bytes ?? 0), 0);
    return [`${what}${bytes > 0 ? ` of ${formatSize(bytes)}` : ''} not stored: ${reasons[why]}`];
  });
}

function formatSize(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
