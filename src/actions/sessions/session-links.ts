// Links to the page of a test session: anyone with the link can read it for 30 days without a key.
import { createSignedIds } from '../signed-ids.ts';

/** A session that a link names. */
export interface LinkedSession {
  readonly accountId: string;
  readonly sessionId: string;
  /** When the link expires, epoch ms. */
  readonly expiresAt: number;
}

/** Creates and opens links. Times are epoch ms. */
export interface SessionLinks {
  /** `{publicUrl}/test-sessions/{token}` */
  readonly link: (accountId: string, sessionId: string, now: number) => string;
  /** null = not a token of this installation, modified, or expired. */
  readonly open: (token: string, now: number) => LinkedSession | null;
}

const validMs = 30 * 86_400_000;

/**
 * @param publicUrl public URL of this installation without a trailing slash, called for each link
 * @param secret secret of the installation, from which the signing key is derived
 */
export function createSessionLinks({
  publicUrl,
  secret,
}: {
  publicUrl: () => string;
  secret: Uint8Array;
}): SessionLinks {
  const tokens = createSignedIds(secret, 'test session link 1', 2);
  return {
    link: (accountId, sessionId, now) =>
      `${publicUrl()}/test-sessions/${tokens.sign([accountId, sessionId], now + validMs)}`,
    open(token, now) {
      const found = tokens.open(token, now);
      const [accountId, sessionId] = found?.ids ?? [];
      if (found === null || accountId === undefined || sessionId === undefined) return null;
      return { accountId, sessionId, expiresAt: found.expiresAt };
    },
  };
}
