// Builds the identity provider of the installation. Its requests are outside of the egress policy, and their answers bounded.
import type { CustomFetch } from 'openid-client';
import type { IdentityDeps } from '#actions/accounts/identities.ts';
import { createIdentityProvider } from '#actions/accounts/identity-provider.ts';
import type { Config } from '#config/config.ts';
import { everyNetwork } from '#egress/address-class.ts';
import { createGuard } from '#egress/guard.ts';
import type { Clock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import { createTrust } from '#lib/net/tls-trust.ts';

const connectMs = 5000;
const timeoutMs = 10_000;
const answerBytesMax = 1_000_000;

/** @returns null = none is configured */
export function composeIdentityProvider({
  config,
  publicUrl,
  userAgent,
  clock,
  log,
}: Opened): IdentityDeps['provider'] {
  const settings = config.provider;
  if (settings === null) return null;
  const redirectUri = () => `${publicUrl()}/sign-in/callback`;
  const fetch = createOperatorFetch(config, userAgent);
  return { settings, ...createIdentityProvider({ settings, redirectUri, fetch, timeoutMs, clock, log }) };
}

interface Opened {
  readonly config: Config;
  readonly publicUrl: () => string;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** Sends a request with `fetch` to the host that the operator chose, which may be that of Tocsin. Rejects an answer above 1 MB. */
function createOperatorFetch(
  { egress, caCertificates }: Pick<Config, 'egress' | 'caCertificates'>,
  userAgent: string,
): CustomFetch {
  // Loaded on demand, because few processes send requests.
  const load = async () => {
    const [{ Agent, fetch }, { guardedConnector }] = await Promise.all([
      import('undici'),
      import('#channels/http/connector.ts'),
    ]);
    const guard = createGuard({ ...egress, allow: everyNetwork });
    const connect = guardedConnector(guard, createTrust(caCertificates), connectMs);
    return { fetch, dispatcher: new Agent({ connect, keepAliveTimeout: 1000 }) };
  };
  let loading: ReturnType<typeof load> | null = null;
  return async (url, { method, headers, body, redirect, signal }) => {
    const { fetch, dispatcher } = await (loading ??= load());
    const answer = await fetch(url, {
      method,
      headers: { ...headers, 'user-agent': userAgent },
      body: body instanceof URLSearchParams ? body.toString() : null,
      redirect,
      dispatcher,
      ...(signal !== undefined && { signal }),
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body ?? []) {
      size += chunk.length;
      if (size > answerBytesMax) throw new Error(`the answer has more than ${answerBytesMax} bytes`);
      chunks.push(chunk);
    }
    const { status } = answer;
    return new Response(status === 204 || status === 304 ? null : Buffer.concat(chunks), {
      status,
      headers: [...answer.headers],
    });
  };
}
