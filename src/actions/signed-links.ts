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
export interface LinkSort<Name extends string> {
  /** Tokens of one purpose are invalid for others. */
  readonly purpose: string;
  /** Names of the IDs in a token, in their order. */
  readonly ids: readonly Name[];
  /** Path of a link, with the token in it. */
  readonly path: (token: string) => `/${string}`;
}

/** The IDs of a link. */
export type Linked<Name extends string> = Readonly<Record<Name, string>> & {
  /** When the link expires, epoch ms. */
  readonly expiresAt: number;
};

/** Creates and opens links. Times are epoch ms. */
export interface SignedLinks<Name extends string> {
  /** A link as URL. */
  readonly link: (ids: Readonly<Record<Name, string>>, now: number) => string;
  /** null = not a token of this installation and purpose, modified, or expired. */
  readonly open: (token: string, now: number) => Linked<Name> | null;
}

const validMs = 30 * 86_400_000;

export function createSignedLinks<Name extends string>(
  { publicUrl, secret }: LinkSigner,
  { purpose, ids: names, path }: LinkSort<Name>,
): SignedLinks<Name> {
  const tokens = createSignedIds(secret, purpose, names.length);
  return {
    link(ids, now) {
      const values = names.map((name) => ids[name]);
      return publicUrl() + path(tokens.sign(values, now + validMs));
    },
    open(token, now) {
      const found = tokens.open(token, now);
      if (found === null) return null;
      const ids = Object.fromEntries(names.map((name, index) => [name, found.ids[index]]));
      return { ...(ids as Record<Name, string>), expiresAt: found.expiresAt };
    },
  };
}
