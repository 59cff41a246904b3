// Known devices: browsers in which a person has signed in before. Others cannot use up their attempts.
import { hash } from 'node:crypto';
import { deviceMaxMs } from '#domain/accounts/user.ts';
import { newId } from '#lib/id.ts';
import { createSignedIds } from '../signed-ids.ts';

/** Issues and checks the proof that a browser keeps. It grants no access. Instants are epoch ms. */
export type KnownDevices = ReturnType<typeof createKnownDevices>;

/** @param secret the installation's key */
export function createKnownDevices(secret: Uint8Array) {
  const proofs = createSignedIds(secret, 'known device 1', 2);
  return {
    /** A new proof for a person who has just signed in. */
    issue: (email: string, now: number): string => proofs.sign([newId(), idOf(email)], now + deviceMaxMs),
    /** Whether a proof was issued to this person. */
    isKnown: (proof: string, email: string, now: number): boolean =>
      proofs.open(proof, now)?.ids[1]?.replaceAll('-', '') === idOf(email),
  };
}

function idOf(email: string): string {
  return hash('sha256', email).slice(0, 32);
}
