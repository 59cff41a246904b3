// A service with an identity provider, and people who sign in there over HTTP.
import assert from 'node:assert/strict';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { freePort } from '../support/free-port.ts';
import { type Person, startIdentityProvider, type StartedProvider } from '../support/targets/identity-provider.ts';
import type { Answer } from './operation-calls.ts';
import { askAt, bodyOf, cookieOf, type Headers, ownPage } from './session-calls.ts';

export const operator = { email: 'operator@corp.example', password: 'correct horse battery' };
export const password = 'another long password';
/** The account that every service of these tests starts with. */
const firstAccount = '7f1f0c1e-5a52-4c4f-9d2c-0d6f9a4f1c11';
export const unknownAccount = '0193b3c0-0000-7000-8000-00000000000a';
const roles = JSON.stringify({
  groups: {
    ops: { [firstAccount]: 'admin' },
    dev: { [firstAccount]: 'read-write' },
    nowhere: { [unknownAccount]: 'owner' },
  },
});

/** A person at the provider with an address of the company. */
export function person(sub: string, more: Partial<Person> = {}): Person {
  return { sub, email: `${sub}@corp.example`, email_verified: true, ...more };
}

/** A browser that has begun to sign in or to connect, and has come back from the provider. */
export interface Visit {
  readonly cookie: string;
  readonly answer: string;
}

/** A service with a provider of its own. */
export type Corp = Awaited<ReturnType<typeof startCorp>>;

/** Starts both. */
export async function startCorp(
  t: { readonly after: (work: () => void | Promise<void>) => void },
  environment: Readonly<Record<string, string>> = {},
  prepare: (provider: StartedProvider) => void = () => undefined,
) {
  const port = await freePort();
  const provider = await startIdentityProvider(t, `http://127.0.0.1:${port}`);
  prepare(provider);
  const on: Composed = await startComposed(t, {
    ...provider.environment,
    PORT: String(port),
    TOCSIN_ROLES: 'api',
    TOCSIN_BOOTSTRAP_EMAIL: operator.email,
    TOCSIN_BOOTSTRAP_PASSWORD: operator.password,
    TOCSIN_OIDC_SCOPES: 'groups',
    TOCSIN_OIDC_ROLES: roles,
    ...environment,
  });
  const key: Headers = { authorization: `Bearer ${on.apiKey}` };
  const ask = (method: string, path: string, headers: Headers = {}, body?: object): Promise<Answer> =>
    askAt(on, method, path, headers, body);
  const comeBack = async (begun: Answer): Promise<Visit> => {
    const { cookie = '' } = cookieOf(begun);
    return { cookie, answer: await visit(bodyOf(begun).url, provider.issuer) };
  };
  const begin = async (): Promise<Visit> => comeBack(await ask('POST', '/v1/provider-sign-ins', ownPage));
  const finish = ({ cookie, answer }: Visit, invitation?: string): Promise<Answer> => {
    const body = { answer, ...(invitation !== undefined && { invitation }) };
    return ask('POST', '/v1/provider-sign-ins/finish', { ...ownPage, cookie }, body);
  };
  /** The token of an invitation. */
  const invite = async (email: string, role = 'read-only', headers: Headers = {}): Promise<string> => {
    const invited = await ask('POST', '/v1/invites', { ...key, ...headers }, { email, role });
    assert.equal(invited.status, 201, invited.text);
    return String(bodyOf(invited).url).split('#')[1] ?? '';
  };
  return {
    on,
    provider,
    key,
    ask,
    begin,
    finish,
    invite,
    /** Begins to connect the present person of the provider to the person of a session. */
    beginConnection: async (headers: Headers, as = password): Promise<Visit> =>
      comeBack(await ask('POST', '/v1/me/identity', headers, { password: as })),
    connect: (headers: Headers, { cookie, answer }: Visit): Promise<Answer> =>
      ask('PUT', '/v1/me/identity', { ...headers, cookie: `${headers['cookie']}; ${cookie}` }, { answer }),
    /** Signs in as a person at the provider. */
    async signInAs(who: Person, invitation?: string): Promise<Answer> {
      provider.person = who;
      return finish(await begin(), invitation);
    },
    withPassword: (email: string, as = password): Promise<Answer> =>
      ask('POST', '/v1/sessions', ownPage, { email, password: as }),
    /** The session of a new person with a password in an account. */
    async join(email: string, role = 'read-only', headers: Headers = {}): Promise<Headers> {
      const token = await invite(email, role, headers);
      return cookieOf(await ask('POST', '/v1/invites/accept', ownPage, { token, password }));
    },
    otherAccount: async (name: string): Promise<Headers> => ({
      'x-service-account': bodyOf(await ask('POST', '/v1/accounts', key, { name })).id,
    }),
  };
}

/** Goes to the page of the provider as a browser does; returns the query with which it comes back. */
async function visit(page: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  let url = page;
  for (let steps = 0; steps < 10; steps++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const each of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next === null) return assert.fail(`${answer.status} ${await answer.text()}`);
    const { origin, href, search } = new URL(next, url);
    if (origin !== issuer) return search;
    url = href;
  }
  return assert.fail('too many redirects');
}
