// What a result says of files that its run left and that are not kept.
import type { LeftOutAsset } from '#domain/script.ts';

const reasons: Readonly<Record<LeftOutAsset['why'], string>> = {
  size: 'at most 10 MB of a file are kept',
  total: 'at most 20 MB of a run are kept',
  count: 'there were too many',
  content: 'it could not be read as what it should be',
};

/** A sentence for each sort and reason. */
export function leftOutWarnings(leftOut: readonly LeftOutAsset[]): string[] {
  const alike = Map.groupBy(leftOut, ({ sort, why }) => `${sort} ${why}`);
  return [...alike.values()].flatMap((assets) => {
    const [first] = assets;
    if (first === undefined) return [];
    const { sort, why } = first;
    const what = assets.length === 1 ? `a ${sort}` : `${assets.length} ${sort}s`;
    const bytes = assets.reduce((sum, asset) => sum + (asset.bytes ?? 0), 0);
    return [`${what}${bytes > 0 ? ` of ${sizeOf(bytes)}` : ''} not kept: ${reasons[why]}`];
  });
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
