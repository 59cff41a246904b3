// RESULT_LINK: anyone with the link can read one result for 30 days without a key (decisions: RESULT_LINK).
import { createSignedLinks, type Linked, type LinkSigner } from '../signed-links.ts';

/** Target of a link. */
export type LinkedResult = Linked<'accountId' | 'checkId' | 'resultId'>;

/** Creates and opens links. Times are epoch ms. */
export interface ResultLinks {
  /** `{publicUrl}/results/{token}` */
  readonly link: (accountId: string, checkId: string, resultId: string, now: number) => string;
  /** null = not a token of this installation, modified, or expired. */
  readonly open: (token: string, now: number) => LinkedResult | null;
}

export function createResultLinks(signer: LinkSigner): ResultLinks {
  const { link, open } = createSignedLinks(signer, {
    purpose: 'result link 1',
    ids: ['accountId', 'checkId', 'resultId'],
    path: (token) => `/results/${token}`,
  });
  return { link: (accountId, checkId, resultId, now) => link({ accountId, checkId, resultId }, now), open };
}
