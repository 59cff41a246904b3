// Where a redirect leads, and what of the request goes with it: as browsers do.
import type { IncomingMessage } from 'node:http';
import type { OutgoingRequest } from './plan.ts';
import { parseTarget } from './target.ts';

/** The most redirects that are followed. */
export const mostRedirects = 10;

const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Whether an answer sends the client elsewhere. */
export function isRedirect(answer: IncomingMessage): boolean {
  return redirecting.has(answer.statusCode ?? 0) && answer.headers.location !== undefined;
}

/** The next request, or null when the location is no http(s) URL. */
export function redirected(request: OutgoingRequest, answer: IncomingMessage): OutgoingRequest | null {
  const location = Buffer.from(answer.headers.location ?? '', 'latin1').toString();
  const target = parseTarget(location, request.target.href);
  if (target === null) return null;
  const status = answer.statusCode ?? 0;
  const isRewritten =
    status === 303 ? request.method !== 'HEAD' : (status === 301 || status === 302) && request.method === 'POST';
  const isElsewhere = target.origin !== request.target.origin;
  const headers = request.headers.filter(([name]) => {
    const lower = name.toLowerCase();
    if (isElsewhere && (lower === 'authorization' || lower === 'cookie' || lower === 'host')) return false;
    return !(isRewritten && lower.startsWith('content-'));
  });
  return isRewritten ? { method: 'GET', target, headers, body: null } : { ...request, target, headers };
}
