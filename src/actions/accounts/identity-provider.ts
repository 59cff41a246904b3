// Talks to the identity provider: the code flow of OpenID Connect with PKCE.
import type { Configuration, CustomFetch } from 'openid-client';
import type { Claims, ProviderSettings } from '#domain/accounts/identity.ts';
import type { Clock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import { Refusal } from '../refusal.ts';
import { tooMany } from './hashing-turns.ts';
import { createHmac, createSecretKey } from 'node:crypto';
import { flowMaxMs } from '#domain/accounts/user.ts';
import { newId } from '#lib/id.ts';
import { createSignedIds } from '../signed-ids.ts';

/** The provider. Each method refuses (`unavailable`) if it cannot be reached or answers wrongly. */
export type IdentityProvider = ReturnType<typeof createIdentityProvider>;

export interface IdentityProviderDeps {
  readonly settings: ProviderSettings;
  /** The page to which the provider sends the browser. */
  readonly redirectUri: () => string;
  /** Sends a request; its answer is bounded. */
  readonly fetch: CustomFetch;
  /** How long it waits for each answer of the provider. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

const hourMs = 3_600_000;
/** Exchanges that may be in progress. */
const busyMax = 20;
/** Longest subject; the specification allows 255. */
const subjectMax = 255;

export function createIdentityProvider(deps: IdentityProviderDeps) {
  const { settings, redirectUri, clock, log } = deps;
  let found: { readonly config: Promise<Configuration>; readonly at: number } | null = null;
  let busy = 0;
  const configuration = (): Promise<Configuration> => {
    if (found === null || Math.abs(clock.now() - found.at) >= hourMs) {
      found = { config: discover(deps), at: clock.now() };
      // The next sign-in tries again.
      found.config.catch(() => (found = null));
    }
    return found.config;
  };
  const bounded = async <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    if (busy >= busyMax) throw tooMany();
    busy++;
    try {
      return await work();
    } catch (error) {
      throw refusalOf(error, settings.name, log);
    } finally {
      busy--;
    }
  };
  return {
    /** The page of the provider at which a person signs in. */
    begin: ({ state, nonce, verifier }: FlowSecrets): Promise<string> =>
      bounded(async () => {
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
        const url = buildAuthorizationUrl(await configuration(), {
          redirect_uri: redirectUri(),
          scope: [...new Set(['openid', 'email', ...settings.scopes])].join(' '),
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        });
        if (!/^https?:$/.test(url.protocol))
          throw new Error(`the page of the provider is no web page: ${url.protocol}`);
        return url.href;
      }),
    /**
     * Exchanges the answer of that page. Refuses (`conflict`) one of another flow or one that was used before, and
     * (`forbidden`) one that says that the provider did not sign the person in.
     * @param answer the query of the page to which the provider has sent the browser
     */
    finish(answer: string, secrets: FlowSecrets): Promise<{ readonly subject: string; readonly claims: Claims }> {
      const page = new URL(redirectUri());
      page.search = answer;
      if (page.searchParams.get('state') !== secrets.state) throw otherFlow();
      return bounded(async () => exchange(await configuration(), page, secrets));
    },
  };
}

async function discover({ settings, fetch, timeoutMs }: IdentityProviderDeps): Promise<Configuration> {
  const {
    allowInsecureRequests,
    ClientSecretBasic,
    ClientSecretPost,
    customFetch,
    discovery,
    enableNonRepudiationChecks,
  } = await import('openid-client');
  const { clientId, clientSecret } = settings;
  const issuer = new URL(settings.issuer);
  // The method of the specification, unless the provider lists only the other.
  const auth: ReturnType<typeof ClientSecretBasic> = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const isBasic = methods === undefined || methods.includes('client_secret_basic');
    return (isBasic ? ClientSecretBasic(clientSecret) : ClientSecretPost(clientSecret))(server, ...rest);
  };
  return discovery(issuer, clientId, undefined, auth, {
    [customFetch]: fetch,
    timeout: timeoutMs / 1000,
    // Signatures are verified on every connection, and only a provider on this machine may have one without TLS.
    execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
  });
}

async function exchange(
  config: Configuration,
  page: URL,
  { state, nonce, verifier }: FlowSecrets,
): Promise<{ readonly subject: string; readonly claims: Claims }> {
  const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
  const tokens = await authorizationCodeGrant(config, page, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
  });
  const own = tokens.claims();
  const { issuer, userinfo_endpoint: more } = config.serverMetadata();
  if (own === undefined || own.iss !== issuer) throw new Error('the ID token is of another issuer');
  if (own.sub === '' || own.sub.length > subjectMax) throw new Error('the subject is empty or too long');
  // Providers may put the email address and groups there alone.
  const other = more === undefined ? {} : await fetchUserInfo(config, tokens.access_token, own.sub);
  return { subject: own.sub, claims: { ...other, ...own } };
}

/** The sentence for the person; the log has the cause for the operator. */
function refusalOf(error: unknown, name: string, log: Pick<Log, 'warn'>): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error;
  const { error: code = '', code: kind = '' } = error as { readonly error?: string; readonly code?: string };
  const isCode = /^[\w.-]{1,60}$/.test(code);
  const cause = error.cause instanceof Error ? error.cause.message : '';
  log.warn('identity-provider.failed', { error: error.message, code: isCode ? code : kind, cause });
  if (kind === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    return new Refusal('forbidden', `${name} did not sign you in${isCode ? ` (${code})` : ''}. Try again.`);
  }
  if (code === 'invalid_grant')
    return new Refusal('conflict', 'This sign-in was used before or has expired. Start again.');
  if (isAway(error, kind)) {
    return new Refusal('unavailable', `${name} cannot be reached. Try again later, or sign in with a password.`);
  }
  const sentence = `${name} did not answer as expected${isCode ? ` (${code})` : ''}. The log of Tocsin says why: tell its operator.`;
  return new Refusal('unavailable', sentence);
}

function isAway(error: Error, kind: string): boolean {
  const isServerFault = error.cause instanceof Response && error.cause.status >= 500;
  return error instanceof TypeError || kind === 'OAUTH_TIMEOUT' || kind === 'OAUTH_ABORT' || isServerFault;
}

/** An answer that does not belong to a sign-in of this browser. */
export function otherFlow(): Refusal {
  return new Refusal(
    'conflict',
    'This sign-in was started in another browser or tab, or more than 10 minutes ago. Start again.',
  );
}

/** What binds the answer of the provider to the browser and to the request. */
interface FlowSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The verifier of PKCE. */
  readonly verifier: string;
}

/** A sign-in that has begun; `sessionId` = whose session connects an identity, null = nobody has signed in. */
interface Flow extends FlowSecrets {
  readonly sessionId: string | null;
}

/** Issues and opens the proof that a browser keeps. Instants are epoch ms. */
export type ProviderFlows = ReturnType<typeof createProviderFlows>;

const nobody = '00000000-0000-0000-0000-000000000000';

/** @param secret the installation's key */
export function createProviderFlows(secret: Uint8Array) {
  const proofs = createSignedIds(secret, 'provider flow 1', 3);
  const key = createSecretKey(createHmac('sha256', secret).update('provider secrets 1').digest());
  // Derived, so that the browser that keeps the proof knows none of them.
  const derived = (name: string, proof: string): string =>
    createHmac('sha256', key).update(`${name} ${proof}`).digest('base64url');
  const flowOf = (proof: string, sessionId: string | null): Flow => ({
    state: derived('state', proof),
    nonce: derived('nonce', proof),
    verifier: derived('verifier', proof),
    sessionId,
  });
  return {
    issue(sessionId: string | null, now: number): { readonly proof: string; readonly flow: Flow } {
      const proof = proofs.sign([newId(), newId(), sessionId ?? nobody], now + flowMaxMs);
      return { proof, flow: flowOf(proof, sessionId) };
    },
    /** null = not issued here, changed, or expired. */
    open(proof: string, now: number): Flow | null {
      const owner = proofs.open(proof, now)?.ids[2];
      return owner === undefined ? null : flowOf(proof, owner === nobody ? null : owner);
    },
  };
}
