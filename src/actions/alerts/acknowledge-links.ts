// ACK_LINK: anyone with the link can acknowledge that one incident without a key, for 30 days.
import type { DeliveryFacts } from '#domain/results/recording.ts';
import { createSignedIds } from '../signed-ids.ts';

/** The incident of a link. */
export interface LinkedIncident {
  readonly accountId: string;
  readonly incidentId: string;
}

/** Creates and opens links. Instants are epoch ms. */
export interface AcknowledgeLinks {
  /** `{publicUrl}/acknowledge/{token}` */
  readonly link: (accountId: string, incidentId: string, now: number) => string;
  /** null = not a token of this installation, changed, or expired. */
  readonly open: (token: string, now: number) => LinkedIncident | null;
}

const validMs = 30 * 86_400_000;

/**
 * @param publicUrl public URL of this installation, without a trailing slash; read when a link is created
 * @param secret the installation's key
 */
export function createAcknowledgeLinks({
  publicUrl,
  secret,
}: {
  publicUrl: () => string;
  secret: Uint8Array;
}): AcknowledgeLinks {
  const tokens = createSignedIds(secret, 'acknowledge link 1', 2);
  return {
    link: (accountId, incidentId, now) =>
      `${publicUrl()}/acknowledge/${tokens.sign([accountId, incidentId], now + validMs)}`,
    open(token, now) {
      const [accountId, incidentId] = tokens.open(token, now)?.ids ?? [];
      return accountId === undefined || incidentId === undefined ? null : { accountId, incidentId };
    },
  };
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
