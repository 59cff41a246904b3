// Formats revocation status for results and messages.
import type { JsonObject } from '#domain/json.ts';
import type { Revocation, RevocationSource } from './revocation.ts';

/** The revocation status in results and assertions. */
export function shownRevocation(revocation: Revocation | null): JsonObject | null {
  if (revocation === null) return null;
  const { status, source, statement, problem } = revocation;
  return {
    status,
    source,
    revokedAt: isoOrNull(statement?.revokedAt),
    reason: statement?.reason ?? null,
    thisUpdate: isoOrNull(statement?.thisUpdate),
    nextUpdate: isoOrNull(statement?.nextUpdate),
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

/** Returns the message for a revoked certificate, or null. @param name host of the certificate */
export function revokedSentence({ status, source, statement }: Revocation, name: string): string | null {
  if (status !== 'revoked' || statement === null || source === null) return null;
  const since = statement.revokedAt === null ? '' : ` on ${new Date(statement.revokedAt).toISOString().slice(0, 10)}`;
  const why =
    statement.reason === null || statement.reason === 'unspecified' ? '' : ` (${spokenReason(statement.reason)})`;
  return `the certificate of ${name} was revoked${since}${why}, ${speakers[source]}`;
}

/** `keyCompromise` → `key compromise`; keeps abbreviations. */
function spokenReason(reason: string): string {
  return reason
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replace(/ ([A-Z])(?=[a-z])/g, (_, letter: string) => ` ${letter.toLowerCase()}`);
}
