// ACK_LINK: anyone with the link can acknowledge that one incident without a key, for 30 days.
import type { DeliveryFacts } from '#domain/results/recording.ts';
import { createSignedLinks, type Linked, type LinkSigner } from '../signed-links.ts';

/** The incident of a link. */
export type LinkedIncident = Linked<'accountId' | 'incidentId'>;

/** Creates and opens links. Instants are epoch ms. */
export interface AcknowledgeLinks {
  /** `{publicUrl}/acknowledge/{token}` */
  readonly link: (accountId: string, incidentId: string, now: number) => string;
  /** null = not a token of this installation, changed, or expired. */
  readonly open: (token: string, now: number) => LinkedIncident | null;
}

export function createAcknowledgeLinks(signer: LinkSigner): AcknowledgeLinks {
  const { link, open } = createSignedLinks(signer, {
    purpose: 'acknowledge link 1',
    ids: ['accountId', 'incidentId'],
    path: (token) => `/acknowledge/${token}`,
  });
  return { link: (accountId, incidentId, now) => link({ accountId, incidentId }, now), open };
}

/** The ACK_LINK of a delivery; none for alerts without an incident. */
export function acknowledgeLinkOf(
  { incident, channel, createdAt }: DeliveryFacts,
  links: Pick<AcknowledgeLinks, 'link'>,
): { readonly acknowledgeLink?: string } {
  return incident === null
    ? {}
    : { acknowledgeLink: links.link(channel.accountId, incident.currentId ?? incident.id, createdAt) };
}

/** Masks the tokens of acknowledge links in a text, so that a delivery log does not let read-only callers acknowledge. */
export function maskAcknowledgeLinks(text: string): string {
  return text.replaceAll(/(acknowledge(?:\/|\\\/|%2F))[\w-]{40,}/gi, '$1********');
}
