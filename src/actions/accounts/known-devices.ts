// Known devices: browsers in which a person has signed in before. Others cannot use up their attempts.
import { hash } from 'node:crypto';
import { deviceMaxMs } from '#domain/accounts/user.ts';
import { newId } from '#lib/id.ts';
import { createSignedIds } from '../signed-ids.ts';

/** Issues and checks the proof that a browser keeps. It grants no access. Instants are epoch ms. */
export interface KnownDevices {
  /** A new proof for a person who has just signed in. */
  readonly issue: (email: string, now: number) => string;
  /** Whether a proof was issued to this person. */
  readonly isKnown: (proof: string, email: string, now: number) => boolean;
}

/** @param secret the installation's key */
export function createKnownDevices(secret: Uint8Array): KnownDevices {
  const proofs = createSignedIds(secret, 'known device 1', 2);
  return {
    issue: (email, now) => proofs.sign([newId(), idOf(email)], now + deviceMaxMs),
    isKnown: (proof, email, now) => proofs.open(proof, now)?.ids[1]?.replaceAll('-', '') === idOf(email),
  };
}

function idOf(email: string): string {
  return hash('sha256', email).slice(0, 32);
}
