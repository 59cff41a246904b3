// Sends requests to the bucket of copies of status pages. Tocsin's own places stay closed to it.
import type { Agent } from 'undici';
import { everyNetwork } from '#egress/cidr.ts';
import { createGuard, type EgressPolicy } from '#egress/guard.ts';
import { createTrust } from '#lib/net/tls-trust.ts';
import type { SendToBucket } from '#publish/copies/bucket-place.ts';
import { PageCopyError } from '#domain/status-pages/page-copies.ts';

const deadlineMs = 10_000;
/** Answers hold errors and lists of files. */
const mostAnswerBytes = 4_000_000;

/**
 * The operator chose the bucket, so the egress policy does not apply.
 * @param egress the policy with the closed places
 * @param stopping ends requests in progress
 */
export function createBucketRequests(
  egress: EgressPolicy,
  extraCertificates: readonly string[],
  userAgent: string,
  stopping: AbortSignal,
): SendToBucket {
  // Loaded on demand, because few processes have a bucket.
  let loading: Promise<Agent> | null = null;
  const load = async (): Promise<Agent> => {
    const [undici, { guardedConnector }] = await Promise.all([import('undici'), import('#channels/http/connector.ts')]);
    const guard = createGuard({ ...egress, allow: everyNetwork });
    const connect = guardedConnector(guard, createTrust(extraCertificates), deadlineMs);
    return new undici.Agent({ connect, allowH2: false, pipelining: 1, maxResponseSize: mostAnswerBytes });
  };
  return async ({ method, url, headers, body }) => {
    const dispatcher = await (loading ??= load());
    const { request } = await import('undici');
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(deadlineMs)]);
    try {
      const answer = await request(url, {
        method,
        headers: { ...headers, 'user-agent': userAgent },
        body,
        dispatcher,
        signal,
      });
      return { status: answer.statusCode, body: Buffer.from(await answer.body.arrayBuffer()) };
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new PageCopyError(`the bucket did not answer within ${deadlineMs / 1000} s`);
    }
  };
}
