// Reads a small form of a page that works without JavaScript.
import type { IncomingMessage } from 'node:http';

/** Most bytes of a form. */
const mostBytes = 4096;

/** The fields of a form; null = it is larger than 4 kB, or none. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | null> {
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') !== true) return null;
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > mostBytes) return null;
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString());
}
