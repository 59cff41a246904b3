// RESULT_LINK: anyone with the link can read one result for 30 days without a key (decisions: RESULT_LINK).
import { createSignedIds } from '../signed-ids.ts';

/** Target of a link. */
export interface LinkedResult {
  readonly accountId: string;
  readonly checkId: string;
  readonly resultId: string;
  /** When the link expires, epoch ms. */
  readonly expiresAt: number;
}

/** Creates and opens links. Times are epoch ms. */
export interface ResultLinks {
  /** `{publicUrl}/results/{token}` */
  readonly link: (accountId: string, checkId: string, resultId: string, now: number) => string;
  /** null = not a token of this installation, modified, or expired. */
  readonly open: (token: string, now: number) => LinkedResult | null;
}

const validMs = 30 * 86_400_000;

/**
 * @param publicUrl public URL of this installation without a trailing slash, called for each link
 * @param secret secret of the installation, from which the signing key is derived
 */
export function createResultLinks({ publicUrl, secret }: { publicUrl: () => string; secret: Uint8Array }): ResultLinks {
  const tokens = createSignedIds(secret, 'result link 1', 3);
  return {
    link: (accountId, checkId, resultId, now) =>
      `${publicUrl()}/results/${tokens.sign([accountId, checkId, resultId], now + validMs)}`,
    open(token, now) {
      const found = tokens.open(token, now);
      const [accountId, checkId, resultId] = found?.ids ?? [];
      if (found === null || accountId === undefined || checkId === undefined || resultId === undefined) return null;
      return { accountId, checkId, resultId, expiresAt: found.expiresAt };
    },
  };
}
