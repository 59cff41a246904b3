// ETag and If-Match: two people do not overwrite each other's changes.
import type { IncomingHttpHeaders } from 'node:http';
import type { Expected } from '#actions/refusal.ts';

/** The ETag of a record in a response: the time of its last change in quotes. */
export function entityTag(body: unknown): string {
  const { created_at, updated_at } = body as { readonly created_at: string; readonly updated_at: string | null };
  return `"${updated_at ?? created_at}"`;
}

/** The revisions of the header If-Match; null = any. Weak tags match nothing (RFC 9110, section 13.1.1). */
export function expectedBy({ 'if-match': header }: IncomingHttpHeaders): Expected {
  if (header === undefined || header.trim() === '*') return null;
  return header.split(',').flatMap((tag) => {
    const at = Date.parse(/^\s*"([^"]*)"\s*$/.exec(tag)?.[1] ?? '');
    return Number.isNaN(at) ? [] : [at];
  });
}
