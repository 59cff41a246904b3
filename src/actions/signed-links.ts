// Links whose token grants access to one thing for 30 days without a key.
import { createSignedIds } from './signed-ids.ts';

/** What signs links: the address they begin with and the secret of the installation. */
export interface LinkSigner {
  /** Public URL of this installation without a trailing slash, called for each link. */
  readonly publicUrl: () => string;
  /** Secret of the installation, from which the signing key is derived. */
  readonly secret: Uint8Array;
}

/** A sort of link. */
interface LinkSort<Names extends readonly string[]> {
  /** Tokens of one purpose are invalid for others. */
  readonly purpose: string;
  /** Names of the IDs in a token, in their order. */
  readonly ids: Names;
  /** Path of a link, with the token in it. */
  readonly path: (token: string) => `/${string}`;
}

/** Creates and opens links. Times are epoch ms. */
interface SignedLinks<Names extends readonly string[]> {
  /** A link as URL, of IDs in their order. */
  readonly link: (...of: [...ids: { [Index in keyof Names]: string }, now: number]) => string;
  /** The IDs of a link; null = not a token of this installation and purpose, modified, or expired. */
  readonly open: (
    token: string,
    now: number,
  ) => (Readonly<Record<Names[number], string>> & { readonly expiresAt: number }) | null;
}

const validMs = 30 * 86_400_000;

export function createSignedLinks<const Names extends readonly string[]>(
  { publicUrl, secret }: LinkSigner,
  { purpose, ids: names, path }: LinkSort<Names>,
): SignedLinks<Names> {
  const tokens = createSignedIds(secret, purpose, names.length);
  return {
    link(...of) {
      const ids = of.slice(0, -1) as string[];
      return publicUrl() + path(tokens.sign(ids, (of.at(-1) as number) + validMs));
    },
    open(token, now) {
      const found = tokens.open(token, now);
      if (found === null) return null;
      const ids = Object.fromEntries(names.map((name, index) => [name, found.ids[index]]));
      return { ...(ids as Record<Names[number], string>), expiresAt: found.expiresAt };
    },
  };
}

export type ResultLinks = ReturnType<typeof createResultLinks>;

/** RESULT_LINK: anyone with the link can read one result (decisions: RESULT_LINK). */
export const createResultLinks = (signer: LinkSigner) =>
  createSignedLinks(signer, {
    purpose: 'result link 1',
    ids: ['accountId', 'checkId', 'resultId'],
    path: (token) => `/results/${token}`,
  });

export type SessionLinks = ReturnType<typeof createSessionLinks>;

/** Anyone with the link can read the page of one test session. */
export const createSessionLinks = (signer: LinkSigner) =>
  createSignedLinks(signer, {
    purpose: 'test session link 1',
    ids: ['accountId', 'sessionId'],
    path: (token) => `/test-sessions/${token}`,
  });
