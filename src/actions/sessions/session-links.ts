// Links to the page of a test session: anyone with the link can read it for 30 days without a key.
import { createSignedLinks, type Linked, type LinkSigner } from '../signed-links.ts';

/** A session that a link names. */
export type LinkedSession = Linked<'accountId' | 'sessionId'>;

/** Creates and opens links. Times are epoch ms. */
export interface SessionLinks {
  /** `{publicUrl}/test-sessions/{token}` */
  readonly link: (accountId: string, sessionId: string, now: number) => string;
  /** null = not a token of this installation, modified, or expired. */
  readonly open: (token: string, now: number) => LinkedSession | null;
}

export function createSessionLinks(signer: LinkSigner): SessionLinks {
  const { link, open } = createSignedLinks(signer, {
    purpose: 'test session link 1',
    ids: ['accountId', 'sessionId'],
    path: (token) => `/test-sessions/${token}`,
  });
  return { link: (accountId, sessionId, now) => link({ accountId, sessionId }, now), open };
}
