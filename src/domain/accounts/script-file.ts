// Files of scripts that are stored apart from their checks, such as snapshots; equal content is stored once.

/** Key of a file: SHA-256 of its content. */
export const scriptFileKey = /^[0-9a-f]{64}$/;

/** Maximum size of a file, bytes. */
export const maxScriptFileBytes = 4 * 1_048_576;

/** How long an unused file is stored after its upload, and at least after its last use, ms. */
export const unusedScriptFileMs = 86_400_000;

/** What a file counts at least, bytes: its rows take that much. */
const leastCounted = 4096;

/** What a file counts of the limit of its account, bytes. */
export function countedBytes(bytes: number): number {
  return Math.max(bytes, leastCounted);
}

/** A stored file without its content. */
export interface ScriptFileFacts {
  readonly key: string;
  readonly bytes: number;
}
