// Links to badges: anyone with the link sees the name, the state and the response time of one check or group.
import { idOfBytes } from '#lib/id.ts';
import { createSignedIds, neverExpires, type SignedIds } from '../signed-ids.ts';
import type { LinkSigner } from '../signed-links.ts';

/** What a badge shows. */
export type BadgeSubject = { readonly checkId: string } | { readonly groupId: number };

/** Creates and opens links. */
export interface BadgeLinks {
  /** `{publicUrl}/v1/badges/checks/{checkId}?token={token}`, or of a group. */
  readonly link: (accountId: string, subject: BadgeSubject) => string;
  /** Account of the subject; null = not a token of this installation for this subject. @param now epoch ms */
  readonly open: (token: string, subject: BadgeSubject, now: number) => string | null;
}

export function createBadgeLinks({ publicUrl, secret }: LinkSigner): BadgeLinks {
  const checks = createSignedIds(secret, 'check badge 1', 2);
  const groups = createSignedIds(secret, 'group badge 1', 2);
  const signed = (subject: BadgeSubject): { tokens: SignedIds; id: string; path: string } =>
    'checkId' in subject
      ? { tokens: checks, id: subject.checkId, path: `checks/${subject.checkId}` }
      : { tokens: groups, id: idOfNumber(subject.groupId), path: `groups/${subject.groupId}` };
  return {
    link(accountId, subject) {
      const { tokens, id, path } = signed(subject);
      return `${publicUrl()}/v1/badges/${path}?token=${tokens.sign([accountId, id], neverExpires)}`;
    },
    open(token, subject, now) {
      const { tokens, id } = signed(subject);
      const [accountId, signedId] = tokens.open(token, now)?.ids ?? [];
      return accountId !== undefined && signedId === id ? accountId : null;
    },
  };
}

/** A number in the form of an ID. The purpose of the tokens keeps it apart from IDs of checks. */
function idOfNumber(value: number): string {
  return idOfBytes(Buffer.from(value.toString(16).padStart(32, '0'), 'hex'));
}
