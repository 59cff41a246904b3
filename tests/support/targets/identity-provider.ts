// An identity provider (OpenID Connect) on this machine, on another site than Tocsin: people sign in there without a form.
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { Cleanup } from './scripted-server.ts';

/** Claims of a person; `sub` identifies the person. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[];
}

export interface StartedProvider {
  readonly issuer: string;
  /** The configuration of Tocsin for this provider. */
  readonly environment: Readonly<Record<string, string>>;
  /** The person who signs in from now on; null = the provider refuses. */
  person: Person | null;
  /** Whether it answers 503. */
  isBroken: boolean;
  /** Size of all answers, if not 0. */
  floodBytes: number;
  /** Requests so far, such as `POST /token`. */
  readonly asked: readonly string[];
}

const client = { id: 'tocsin', secret: 'secret-of-the-client-canary' };

/** @param publicUrl of the Tocsin that uses it */
export async function startIdentityProvider(t: Cleanup, publicUrl: string): Promise<StartedProvider> {
  const server = createServer();
  server.listen(0, 'localhost');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const asked: string[] = [];
  const people = new Map<string, Person>();
  const state: StartedProvider = {
    issuer,
    environment: {
      TOCSIN_PUBLIC_URL: publicUrl,
      TOCSIN_OIDC_ISSUER: issuer,
      TOCSIN_OIDC_CLIENT_ID: client.id,
      TOCSIN_OIDC_CLIENT_SECRET: client.secret,
      TOCSIN_OIDC_NAME: 'Corp SSO',
    },
    person: { sub: 'ada', email: 'ada@corp.example', email_verified: true },
    isBroken: false,
    floodBytes: 0,
    asked,
  };
  const provider = createProvider(issuer, publicUrl, people);
  const answer = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url?.split('?')[0] ?? '';
    asked.push(`${request.method} ${path}`);
    if (state.floodBytes > 0)
      response.writeHead(200, { 'content-type': 'application/json' }).end(' '.repeat(state.floodBytes));
    else if (state.isBroken) response.writeHead(503).end('away');
    else if (!path.startsWith('/interaction/')) void answer(request, response);
    else {
      const { person } = state;
      if (person !== null) people.set(person.sub, person);
      const result = person === null ? { error: 'access_denied' } : { login: { accountId: person.sub } };
      void provider.interactionFinished(request, response, result);
    }
  });
  return state;
}

function createProvider(issuer: string, publicUrl: string, people: ReadonlyMap<string, Person>): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [`${publicUrl}/sign-in/callback`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups'],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ ...people.get(sub), sub }),
    }),
    // Nobody is asked for consent.
    async loadExistingGrant(context) {
      const { account, client: asking, provider } = context.oidc;
      const grant = new provider.Grant({ accountId: account?.accountId, clientId: asking?.clientId });
      grant.addOIDCScope('openid email groups');
      await grant.save();
      return grant;
    },
    cookies: { keys: ['a key of the tests'] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
  });
}
