// Follows redirects: the next request and the parts it keeps.
import type { IncomingMessage } from 'node:http';
import type { Confidential, OutgoingRequest } from './plan.ts';
import { parseTarget } from './target.ts';

export const maxRedirects = 10;

const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export function isRedirect(answer: IncomingMessage): boolean {
  return redirecting.has(answer.statusCode ?? 0) && answer.headers.location !== undefined;
}

/**
 * Returns the next request, or null if the location is not an http(s) URL. From another origin on (scheme, host and
 * port), credentials, locked headers, and any header or body with a secret are dropped.
 */
export function redirected(
  request: OutgoingRequest,
  answer: IncomingMessage,
  confidential: Confidential,
): OutgoingRequest | null {
  const location = Buffer.from(answer.headers.location ?? '', 'latin1').toString();
  const target = parseTarget(location, request.target.href);
  if (target === null) return null;
  const status = answer.statusCode ?? 0;
  const isRewritten =
    status === 303 ? request.method !== 'HEAD' : (status === 301 || status === 302) && request.method === 'POST';
  const isElsewhere = target.origin !== request.target.origin;
  const hasSecretBody =
    isElsewhere && request.body !== null && (confidential.body || confidential.isIn(request.body.toString()));
  const dropsBody = isRewritten || hasSecretBody;
  const headers = request.headers.filter(([name, value]) => {
    const lower = name.toLowerCase();
    if (isElsewhere && isOfOrigin(lower, value, confidential)) return false;
    return !(dropsBody && lower.startsWith('content-'));
  });
  const method = isRewritten ? 'GET' : request.method;
  return { method, target, headers, body: dropsBody ? null : request.body };
}

const ofOrigin: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'host']);

function isOfOrigin(name: string, value: string, { headers, isIn }: Confidential): boolean {
  return ofOrigin.has(name) || headers.has(name) || isIn(name) || isIn(value);
}
