// Sign-in with the identity provider, and connecting it to a person. Issuer and subject identify people, never an address.
import type { Store } from '#store/store.ts';
import type { StoredUser } from '#store/accounts/users.ts';
import type { Caller, Membership } from '#domain/accounts/api-key.ts';
import {
  type Claims,
  type Identity,
  isInDomains,
  type ProviderSettings,
  rolesOf,
  verifiedEmail,
} from '#domain/accounts/identity.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import type { Log } from '#lib/log.ts';
import { notFoundMessage, Refusal } from '../refusal.ts';
import { type IdentityProvider, otherFlow, type ProviderFlows } from './identity-provider.ts';
import type { InviteActions } from './invites.ts';
import type { Passwords } from './passwords.ts';
import { requireUser } from './permission.ts';
import { type Proof, requireProof } from './second-factors.ts';

export interface IdentityDeps extends Pick<
  Store,
  'accounts' | 'auditLog' | 'identities' | 'secondFactors' | 'sessions' | 'users'
> {
  /** null = none is configured. */
  readonly provider: (IdentityProvider & { readonly settings: ProviderSettings }) | null;
  readonly flows: ProviderFlows;
  readonly invites: Pick<InviteActions, 'acceptAs'>;
  readonly passwords: Passwords;
  readonly publicUrl: () => string;
  /** Clears cached sessions of a user, in all processes. */
  readonly forgetUser: (userId: string) => void;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** A sign-in that has begun: the page of the provider, and what the browser keeps until it comes back. */
export interface Begun {
  readonly url: string;
  readonly proof: string;
}

/** What the browser brings back from the provider. */
export interface Returned {
  /** Query of the page to which the provider has sent the browser. */
  readonly answer: string;
  /** As kept by the browser; undefined = it kept none. */
  readonly proof: string | undefined;
}

/** The person's own identity. */
export interface IdentityState {
  /** Name of the provider; null = none is configured. */
  readonly provider: string | null;
  /** Epoch ms; null = not connected. */
  readonly connectedAt: number | null;
  readonly email: string | null;
  readonly hasPassword: boolean;
}

export type IdentityActions = ReturnType<typeof createIdentityActions>;

export function createIdentityActions(deps: IdentityDeps) {
  const { provider, identities, users, sessions, flows, forgetUser, clock } = deps;
  const begin = async (origin: string | undefined, sessionId: string | null): Promise<Begun> => {
    const { settings, ...service } = configured(deps);
    requirePublicOrigin(deps.publicUrl(), origin, settings.name);
    const { proof, flow } = flows.issue(sessionId, clock.now());
    return { url: await service.begin(flow), proof };
  };
  const identify = async ({ answer, proof }: Returned, sessionId: string | null) => {
    const { settings, ...service } = configured(deps);
    const flow = flows.open(proof ?? '', clock.now());
    if (flow === null || flow.sessionId !== sessionId) throw otherFlow();
    const { subject, claims } = await service.finish(answer, flow);
    return { identity: { issuer: settings.issuer, subject, email: verifiedEmail(claims) }, claims, settings };
  };
  const read = async (id: string): Promise<IdentityState> => {
    const own = provider === null ? null : await identities.ofUser(id, provider.settings.issuer);
    const hasPassword = (await users.find(id))?.passwordHash !== null;
    const name = provider?.settings.name ?? null;
    return { provider: name, connectedAt: own?.connectedAt ?? null, email: own?.email ?? null, hasPassword };
  };
  return {
    /** Name of the provider; null = none is configured. */
    providerName: provider?.settings.name ?? null,
    /** @param origin of the page, which must be that of the public URL */
    begin: (origin: string | undefined): Promise<Begun> => begin(origin, null),
    /**
     * Returns the ID of the user, and the account of the invitation. Refuses (`forbidden`) people who may not sign in.
     * @param invitation token of an invitation to accept; absent = none
     */
    finish: async (returned: Returned, invitation: string | undefined) =>
      signIn(await identify(returned, null), invitation, deps),
    read: (caller: Caller): Promise<IdentityState> => read(requireUser(caller).id),
    /** Begins to connect the provider to the person. Refuses (`invalid`) a wrong password or code. */
    async beginConnection(caller: Caller, proof: Proof, origin: string | undefined): Promise<Begun> {
      const { id, sessionId } = requireUser(caller);
      await requireProof(deps, id, proof);
      return begin(origin, sessionId);
    },
    /** Refuses (`conflict`) if somebody else is connected to this person at the provider. */
    async connect(caller: Caller, returned: Returned): Promise<IdentityState> {
      const { id, sessionId } = requireUser(caller);
      const { identity, settings } = await identify(returned, sessionId);
      requireDomain(identity, settings);
      if (!(await identities.connect(identity, id))) {
        throw new Refusal(
          'conflict',
          `You have connected ${settings.name} already, or another person here is connected to your user there.`,
        );
      }
      return read(id);
    },
    /** Disconnects, and ends all other sessions. Refuses (`conflict`) a person without a password. */
    async remove(caller: Caller, proof: Proof): Promise<void> {
      const { id, sessionId } = requireUser(caller);
      const { settings } = configured(deps);
      if (!(await read(id)).hasPassword) throw needsPassword(settings.name);
      await requireProof(deps, id, proof);
      if (!(await identities.remove(id, settings.issuer))) throw new Refusal('conflict', 'You have not connected it.');
      await sessions.endAll(id, sessionId);
      forgetUser(id);
    },
  };
}

interface Identified {
  readonly identity: Identity;
  readonly claims: Claims;
  readonly settings: ProviderSettings;
}

async function signIn(
  { identity, claims, settings }: Identified,
  invitation: string | undefined,
  deps: IdentityDeps,
): Promise<{ readonly userId: string; readonly accountId?: string }> {
  const { identities, invites, users, forgetUser } = deps;
  const mapped = await existingAccounts(rolesOf(claims, settings.roles), deps);
  let userId = await identities.findUser(identity);
  try {
    requireDomain(identity, settings);
  } catch (error) {
    await noteRefusal(userId, deps);
    throw error;
  }
  let accountId: string | undefined;
  if (invitation !== undefined) {
    const accepted = await invites.acceptAs(invitation, identity, async ({ accountId: invitedTo }) => {
      const present = await identities.findUser(identity);
      return present ?? newUser(identity, [invitedTo, ...mapped.map((each) => each.accountId)], settings, deps);
    });
    ({ userId, accountId } = accepted);
  } else if (userId === null) {
    userId = await join(identity, mapped, settings, deps);
  }
  await identities.mapRoles(userId, mapped);
  forgetUser(userId);
  if ((await users.memberships(userId)).length === 0) throw notAMember(settings.name);
  return { userId, ...(accountId !== undefined && { accountId }) };
}

/** Adds a person with the roles that claims give. Refuses (`forbidden`) a person who gets none. */
async function join(
  identity: Identity,
  mapped: readonly Membership[],
  settings: ProviderSettings,
  deps: IdentityDeps,
): Promise<string> {
  const user = await newUser(
    identity,
    mapped.map(({ accountId }) => accountId),
    settings,
    deps,
  );
  const [first, ...more] = mapped;
  if (settings.isInvitedOnly || first === undefined) throw notAMember(settings.name);
  if (await deps.identities.addUser(user, identity, [first, ...more])) return user.id;
  // Another sign-in of the person came first.
  throw otherFlow();
}

/**
 * A person without a password. Refuses (`forbidden`) an address that the provider has not verified, and one that
 * somebody here has proven or signs in with in one of these accounts. Others with the address are of no concern:
 * anybody could have made them.
 */
async function newUser(
  { email }: Identity,
  accountIds: readonly string[],
  { name }: ProviderSettings,
  { users, clock }: IdentityDeps,
): Promise<StoredUser> {
  if (email === null) {
    throw new Refusal('forbidden', `${name} has not verified your email address. Verify it there, then try again.`);
  }
  for (const { id, isProven } of await users.withEmail(email)) {
    if (!isProven && !(await users.memberships(id)).some(({ accountId }) => accountIds.includes(accountId))) continue;
    throw new Refusal(
      'forbidden',
      `A person with the address ${email} is here already. If you are this person, sign in with the password and connect ${name} under Profile.`,
    );
  }
  const plain = { isOperator: false, hasSecondFactor: false, passwordHash: null, lastSignInAt: null };
  return { ...plain, id: newId(), email, isProven: true, createdAt: clock.now() };
}

/** Without accounts that do not exist, which the log names. */
async function existingAccounts(
  mapped: readonly Membership[],
  { accounts, log }: IdentityDeps,
): Promise<readonly Membership[]> {
  const present = new Set((await accounts.list(mapped.map(({ accountId }) => accountId))).map(({ id }) => id));
  const unknown = mapped.find(({ accountId }) => !present.has(accountId));
  if (unknown !== undefined) log.warn('identity-provider.unknown-account', { account: unknown.accountId });
  return mapped.filter(({ accountId }) => present.has(accountId));
}

/** Records the refused sign-in of a known person. */
async function noteRefusal(userId: string | null, { users, auditLog }: IdentityDeps): Promise<void> {
  const user = userId === null ? null : await users.find(userId);
  if (user !== null) await auditLog.addRefusal(user);
}

function requireDomain({ email }: Identity, { domains, name }: ProviderSettings): void {
  if (domains.length === 0 || (email !== null && isInDomains(email, domains))) return;
  const where = new Intl.ListFormat('en', { type: 'disjunction' }).format(domains);
  throw new Refusal(
    'forbidden',
    `Only people with a verified email address at ${where} can sign in with ${name}. Yours there is ${email ?? 'not verified'}.`,
  );
}

/** The provider sends browsers to the public URL alone; under another name they would lack the proof. */
function requirePublicOrigin(publicUrl: string, origin: string | undefined, name: string): void {
  const own = new URL(publicUrl).origin;
  if (origin === undefined || origin === own) return;
  throw new Refusal('conflict', `Sign-in with ${name} works only at ${own}. Open Tocsin there.`);
}

function configured({ provider }: Pick<IdentityDeps, 'provider'>) {
  if (provider === null) throw notFoundMessage('No identity provider is configured.');
  return provider;
}

function notAMember(name: string): Refusal {
  return new Refusal(
    'forbidden',
    `You are not a member of any account here. Ask an admin for an invitation. If you have a password here, sign in with it and connect ${name} under Profile.`,
  );
}

function needsPassword(name: string): Refusal {
  return new Refusal('conflict', `You have no password here. Ask the operator for one before you disconnect ${name}.`);
}
