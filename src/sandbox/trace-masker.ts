// Masks traces of runs one at a time, in a thread with a time limit.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

const maxMs = 30_000;
const resourceLimits = { maxOldGenerationSizeMb: 256 };
let last: Promise<unknown> = Promise.resolve();

/**
 * Masks values in the texts of a trace. Returns null if it cannot be read or takes too long.
 *
 * @param hidden the values in all encodings except escapes
 */
export function traceMasker(hidden: readonly string[]): (zip: Buffer) => Promise<Uint8Array | null> {
  return (zip) => {
    if (hidden.length === 0) return Promise.resolve(zip);
    const masked = last.then(() => maskedInThread(zip, hidden));
    last = masked;
    return masked;
  };
}

function maskedInThread(zip: Buffer, hidden: readonly string[]): Promise<Uint8Array | null> {
  const entry = new URL(`./trace-thread${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(entry, { workerData: { zip, hidden }, resourceLimits });
  return new Promise<Uint8Array | null>((resolve) => {
    const late = setTimeout(() => resolve(null), maxMs);
    thread.once('message', resolve);
    thread.once('error', () => resolve(null));
    thread.once('exit', () => {
      clearTimeout(late);
      resolve(null);
    });
  }).finally(() => void thread.terminate());
}
