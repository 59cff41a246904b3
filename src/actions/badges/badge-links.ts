// Links to badges: anyone with the link sees the name, the state and the response time of one check or group.
import { idOfBytes } from '#lib/id.ts';
import { createSignedIds, neverExpires, type SignedIds } from '../signed-ids.ts';
import type { LinkSigner } from '../signed-links.ts';

/** What a badge shows. */
export type BadgeSubject = { readonly checkId: string } | { readonly groupId: number };

/** The account of a link. */
export interface BadgeAccount {
  readonly accountId: string;
  /** How often its links had been revoked when the link was created; links of earlier generations are invalid. */
  readonly generation: number;
}

/** Creates and opens links. */
export type BadgeLinks = ReturnType<typeof createBadgeLinks>;

export function createBadgeLinks({ publicUrl, secret }: LinkSigner) {
  const checks = createSignedIds(secret, 'check badge 1', 3);
  const groups = createSignedIds(secret, 'group badge 1', 3);
  const signed = (subject: BadgeSubject): { tokens: SignedIds; id: string; path: string } =>
    'checkId' in subject
      ? { tokens: checks, id: subject.checkId, path: `checks/${subject.checkId}` }
      : { tokens: groups, id: idOfNumber(subject.groupId), path: `groups/${subject.groupId}` };
  return {
    /** `{publicUrl}/v1/badges/checks/{checkId}?token={token}`, or of a group. */
    link({ accountId, generation }: BadgeAccount, subject: BadgeSubject): string {
      const { tokens, id, path } = signed(subject);
      const token = tokens.sign([accountId, id, idOfNumber(generation)], neverExpires);
      return `${publicUrl()}/v1/badges/${path}?token=${token}`;
    },
    /** null = not a token of this installation for this subject. @param now epoch ms */
    open(token: string, subject: BadgeSubject, now: number): BadgeAccount | null {
      const { tokens, id } = signed(subject);
      const [accountId, signedId, signedGeneration] = tokens.open(token, now)?.ids ?? [];
      if (accountId === undefined || signedId !== id || signedGeneration === undefined) return null;
      return { accountId, generation: Number.parseInt(signedGeneration.replaceAll('-', ''), 16) };
    },
  };
}

/** A number in the form of an ID. The purpose of the tokens keeps it apart from IDs of checks. */
function idOfNumber(value: number): string {
  return idOfBytes(Buffer.from(value.toString(16).padStart(32, '0'), 'hex'));
}
