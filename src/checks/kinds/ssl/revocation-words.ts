// What is known of a revocation, as results show it and as a message says it.
import type { JsonObject } from '#domain/json.ts';
import type { Revocation, RevocationSource } from './revocation.ts';

/** What results and assertions show of it. */
export function shownRevocation(revocation: Revocation | null): JsonObject | null {
  if (revocation === null) return null;
  const { status, source, said, problem } = revocation;
  return {
    status,
    source,
    revokedAt: isoOrNull(said?.revokedAt),
    reason: said?.reason ?? null,
    thisUpdate: isoOrNull(said?.thisUpdate),
    nextUpdate: isoOrNull(said?.nextUpdate),
    problem,
  };
}

function isoOrNull(at: number | null | undefined): string | null {
  return typeof at === 'number' ? new Date(at).toISOString() : null;
}

const speakers: Readonly<Record<RevocationSource, string>> = {
  STAPLED: 'according to the stapled OCSP response',
  OCSP: 'according to the OCSP responder of its CA',
  CRL: 'according to the revocation list of its CA',
};

/** The sentence of a certificate that is revoked; null = it is not, as far as anybody said. @param name whose it is */
export function revokedSentence({ status, source, said }: Revocation, name: string): string | null {
  if (status !== 'revoked' || said === null || source === null) return null;
  const since = said.revokedAt === null ? '' : ` on ${new Date(said.revokedAt).toISOString().slice(0, 10)}`;
  const why = said.reason === null || said.reason === 'unspecified' ? '' : ` (${spokenReason(said.reason)})`;
  return `the certificate of ${name} was revoked${since}${why}, ${speakers[source]}`;
}

/** `keyCompromise` → `key compromise`; abbreviations stay. */
function spokenReason(reason: string): string {
  return reason
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replace(/ ([A-Z])(?=[a-z])/g, (_, letter: string) => ` ${letter.toLowerCase()}`);
}
