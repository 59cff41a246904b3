// Routes of sign-in with the identity provider, and of the identity of the signed-in person.
import type { HashingTurns } from '#actions/accounts/hashing-turns.ts';
import type { Begun, IdentityActions, IdentityState, Returned } from '#actions/accounts/identities.ts';
import type { SessionActions } from '#actions/accounts/sessions.ts';
import type { IdentityBody } from '#contract/accounts/identity.ts';
import { countedAddress } from '../rate-limit.ts';
import { Answer, type AnyCall, type Route, route } from '../route.ts';
import { flowCookie, flowProof } from '../session-cookie.ts';
import { isoTextOrNull } from '../wire.ts';
import {
  agentOf,
  type Attempt,
  type AttemptLimits,
  ownApplicant,
  requireAddressAttempt,
  requireAttempt,
  typedCode,
} from './attempts.ts';
import { answerSignedIn, type SignedInDeps } from './signed-in.ts';

export interface IdentityRoutesDeps extends SignedInDeps {
  readonly identities: IdentityActions;
  readonly sessions: Pick<SessionActions, 'start'>;
  readonly hashingTurns: HashingTurns;
}

/** The routes of the identity provider. */
export function identityRoutes(deps: IdentityRoutesDeps, limits: AttemptLimits): Route[] {
  const { identities, sessions, hashingTurns, publicUrl } = deps;
  const begun = ({ headers }: Attempt, { url, proof }: Begun): Answer =>
    new Answer(201, { url }, { 'set-cookie': flowCookie(proof, publicUrl(), headers) });
  const returned = ({ headers }: Attempt, answer: string): Returned => ({
    answer,
    proof: flowProof(headers, publicUrl()),
  });
  const proofOf = (body: { readonly password: string; readonly code?: string }) => ({
    password: body.password,
    ...typedCode(limits, body.code),
  });
  return [
    route('createProviderSignIn', async (call) => {
      requireAddressAttempt(limits.provider, call, publicUrl());
      return begun(call, await identities.begin(originOf(call)));
    }),
    route('createProviderSession', async (call) => {
      requireAddressAttempt(limits.provider, call, publicUrl());
      const { answer, invitation } = call.body;
      const { userId, accountId } = await identities.finish(returned(call, answer), invitation);
      const token = await sessions.start(userId, agentOf(call.headers), 'provider');
      return answerSignedIn(deps, call, token, accountId);
    }),
    route('getIdentity', async ({ caller }) => identityToWire(await identities.read(caller))),
    route('createIdentityConnection', async (call) => {
      const { caller, body } = call;
      const work = () => identities.beginConnection(caller, proofOf(body), originOf(call));
      return begun(call, await hashingTurns.run(ownApplicant(call, limits), work));
    }),
    route('connectIdentity', async (call) => {
      // Asks the provider, which only some may do at a time.
      requireAttempt(limits.provider, countedAddress(call.address), 'address');
      return identityToWire(await identities.connect(call.caller, returned(call, call.body.answer)));
    }),
    route('removeIdentity', async (call) => {
      const { caller, body } = call;
      await hashingTurns.run(ownApplicant(call, limits), () => identities.remove(caller, proofOf(body)));
    }),
  ];
}

function originOf({ headers }: Pick<AnyCall, 'headers'>): string | undefined {
  return headers.origin;
}

function identityToWire({ connectedAt, ...state }: IdentityState): IdentityBody {
  return { ...state, connectedAt: isoTextOrNull(connectedAt) };
}
