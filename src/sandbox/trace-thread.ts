// Masks one untrusted trace in a thread, so that a slow one cannot block the scheduler.
import { parentPort, workerData } from 'node:worker_threads';
import { maskTrace } from './mask-trace.ts';

const { zip, hidden } = workerData as { readonly zip: Uint8Array; readonly hidden: readonly string[] };
parentPort?.postMessage(maskTrace(Buffer.from(zip.buffer, zip.byteOffset, zip.byteLength), hidden));
