// Sign-ins that have begun at the identity provider: the browser keeps one in a cookie, and nothing is stored.
import { createHmac, createSecretKey } from 'node:crypto';
import { flowMaxMs } from '#domain/accounts/user.ts';
import { newId } from '#lib/id.ts';
import { createSignedIds } from '../signed-ids.ts';

/** What binds the answer of the provider to the browser and to the request. */
export interface FlowSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The verifier of PKCE. */
  readonly verifier: string;
}

/** A sign-in that has begun; `sessionId` = whose session connects an identity, null = nobody has signed in. */
export interface Flow extends FlowSecrets {
  readonly sessionId: string | null;
}

/** Issues and opens the proof that a browser keeps. Instants are epoch ms. */
export interface ProviderFlows {
  readonly issue: (sessionId: string | null, now: number) => { readonly proof: string; readonly flow: Flow };
  /** null = not issued here, changed, or expired. */
  readonly open: (proof: string, now: number) => Flow | null;
}

const nobody = '00000000-0000-0000-0000-000000000000';

/** @param secret the installation's key */
export function createProviderFlows(secret: Uint8Array): ProviderFlows {
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
    issue(sessionId, now) {
      const proof = proofs.sign([newId(), newId(), sessionId ?? nobody], now + flowMaxMs);
      return { proof, flow: flowOf(proof, sessionId) };
    },
    open(proof, now) {
      const owner = proofs.open(proof, now)?.ids[2];
      return owner === undefined ? null : flowOf(proof, owner === nobody ? null : owner);
    },
  };
}
