// The variables of the identity provider with which people sign in (OpenID Connect).
import { z } from 'zod';
import { memberRoles } from '#domain/accounts/api-key.ts';
import type { ClaimRoles } from '#domain/accounts/identity.ts';
import { isUuid } from '#lib/id.ts';
import type { ConfigVariable } from './config-variable.ts';

const accountId = z
  .string()
  .refine(isUuid, 'is not an account ID')
  .transform((id) => id.toLowerCase());
const claimRoles = z.record(
  z.string().min(1),
  z.record(z.string().min(1), z.record(accountId, z.enum(memberRoles))),
) satisfies z.ZodType<ClaimRoles>;

/** Variables of `ProviderSettings`. All require the issuer. */
export const providerVariables = {
  TOCSIN_OIDC_ISSUER: {
    fallback: 'none',
    meaning:
      'Identity provider (OpenID Connect) with which [people sign in](people.md#sign-in-with-an-identity-provider), exactly as it writes its `issuer`. Requires `TOCSIN_OIDC_CLIENT_ID`, `TOCSIN_OIDC_CLIENT_SECRET` and `TOCSIN_PUBLIC_URL`. The rules of `TOCSIN_EGRESS` do not apply; `TOCSIN_PROXY` is used.',
    right: 'an https URL, or an http URL of this machine, without user, query and fragment',
    read: readIssuer,
  } satisfies ConfigVariable<string>,
  TOCSIN_OIDC_CLIENT_ID: {
    fallback: 'none',
    meaning: 'Client ID of Tocsin at the identity provider.',
    right: '1 to 500 visible characters',
    read: (text) => (/^[\x21-\x7e]{1,500}$/.test(text) ? text : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_OIDC_CLIENT_SECRET: {
    fallback: 'none',
    meaning: 'Client secret of Tocsin at the identity provider.',
    right: '1 to 1000 visible characters',
    secret: true,
    read: (text) => (/^[\x21-\x7e]{1,1000}$/.test(text) ? text : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_OIDC_NAME: {
    fallback: 'the host of the issuer',
    meaning: 'Name of the identity provider on the sign-in page.',
    right: '1 to 60 characters',
    read: (text) => (text.length <= 60 ? text : undefined),
  } satisfies ConfigVariable<string>,
  TOCSIN_OIDC_SCOPES: {
    fallback: 'none',
    meaning:
      'Scopes to request from the identity provider in addition to `openid` and `email`, for claims in `TOCSIN_OIDC_ROLES`.',
    right: 'a comma-separated list of scopes, such as profile,groups',
    read: (text) => readList(text, /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/),
  } satisfies ConfigVariable<readonly string[]>,
  TOCSIN_OIDC_DOMAINS: {
    fallback: 'all',
    meaning:
      'Domains of the email addresses with which people may sign in at the identity provider, which must have verified the address. Subdomains are not included.',
    right: 'a comma-separated list of domains, such as example.com,example.org',
    read: (text) => readList(text.toLowerCase(), /^[a-z0-9][a-z0-9.-]{0,251}[a-z0-9]$/),
  } satisfies ConfigVariable<readonly string[]>,
  TOCSIN_OIDC_ROLES: {
    fallback: 'none',
    meaning:
      'Roles in accounts, by claim of the identity provider and value of the claim; the value `*` stands for every value. If several values match, the strongest role of each account counts. They are applied at each sign-in with the identity provider.',
    right: `JSON such as {"groups": {"ops": {"<account ID>": "admin"}}} with the roles ${memberRoles.join(', ')}`,
    read: readRoles,
  } satisfies ConfigVariable<ClaimRoles>,
  TOCSIN_OIDC_INVITED_ONLY: {
    fallback: 'no',
    meaning:
      'With `yes`, only people who were invited or have connected the identity provider can sign in with it. Otherwise everybody can whom `TOCSIN_OIDC_ROLES` gives a role.',
    right: 'yes or no',
    read: (text) => (['yes', 'no'] as const).find((each) => each === text),
  } satisfies ConfigVariable<'yes' | 'no'>,
};

function readIssuer(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.username + url.password + url.search + url.hash !== '' || text.length > 500) return undefined;
  // The code is exchanged for tokens over this connection.
  const isOwnMachine = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOwnMachine) ? text : undefined;
}

function readList(text: string, item: RegExp): readonly string[] | undefined {
  const items = text.split(',').map((each) => each.trim());
  return items.every((each) => item.test(each)) ? items : undefined;
}

function readRoles(text: string): ClaimRoles | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data, error } = claimRoles.safeParse(json);
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) throw new Error(`${issue.path.join('.')}: ${issue.message}`);
  return data;
}
