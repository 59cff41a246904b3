// ACK_LINK: anyone with the link can acknowledge that one incident without a key, for 30 days.
import type { DeliveryFacts } from '#domain/results/recording.ts';
import { createSignedLinks, type LinkSigner } from '../signed-links.ts';

/** Creates and opens links to incidents: `{publicUrl}/acknowledge/{token}`. */
export type AcknowledgeLinks = ReturnType<typeof createAcknowledgeLinks>;

export const createAcknowledgeLinks = (signer: LinkSigner) =>
  createSignedLinks(signer, {
    purpose: 'acknowledge link 1',
    ids: ['accountId', 'incidentId'],
    path: (token) => `/acknowledge/${token}`,
  });

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
