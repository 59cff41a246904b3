// Reads a configuration in a worker, within a time limit.
import type { ReadImport, TextImport } from '#importers/text-formats.ts';
import { text } from './strings.ts';

/** What the worker answers. */
export type Reply = { readonly read: ReadImport } | { readonly fault: string };

/** A text that cannot be imported. The message is for people, with the place. */
export class UnreadableText extends Error {}

/** Time until reading is given up, ms. */
const limitMs = 20_000;

/** Rejects with UnreadableText, or with the reason of the signal. */
export function readText(input: TextImport, signal: AbortSignal): Promise<ReadImport> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadImport>();
  const worker = new Worker(new URL('./read-worker.ts', import.meta.url), { type: 'module' });
  const timer = setTimeout(() => reject(new UnreadableText(text.slow)), limitMs);
  const give = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', give);
  worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
    if ('read' in data) resolve(data.read);
    else reject(new UnreadableText(data.fault));
  });
  worker.addEventListener('error', () => reject(new UnreadableText(text.notRead)));
  worker.postMessage(input);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', give);
    worker.terminate();
  });
}
