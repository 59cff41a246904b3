// Sends one request to an OCSP responder or for a CRL, over plain http and within limits. Its URL comes from an
// untrusted certificate.
import type { SecureContext } from 'node:tls';
import type { Trust } from '#lib/net/tls-trust.ts';
import { type Hop, sendHop, type Stop, timeIsUp } from '../../parts/http/hop.ts';
import { parseTarget } from '../../parts/http/target.ts';
import type { EgressGuard } from '../../kind.ts';
import { stopped } from '../../parts/connection/fault.ts';
import { withinLimit } from '../../parts/connection/reach.ts';

/** A request to a CA. */
export interface Asking {
  readonly url: string;
  /** OCSP request; null fetches a CRL. */
  readonly question: Buffer | null;
  /** Maximum size of the response. */
  readonly maxBytes: number;
}

/** Dependencies of a request. */
export interface AskingDeps {
  readonly guard: EgressGuard;
  readonly secureContext: SecureContext;
  readonly trust: Trust;
  /** Tocsin's version. */
  readonly version: string;
  /** Time limit in ms. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Sends a request. Returns the response, or the reason why there is none. Follows no redirects. Never rejects. */
export async function askAuthority(asking: Asking, deps: AskingDeps): Promise<Buffer | string> {
  const { url, question, maxBytes } = asking;
  const target = parseTarget(url);
  if (target === null || target.isTls) return 'its address is not an http:// URL';
  if (deps.signal.aborted) return stopped.message;
  const stop: Stop = { end: null };
  const release = withinLimit(
    deps,
    () => stop.end?.(timeIsUp(deps.limitMs)),
    () => stop.end?.(() => stopped),
  );
  try {
    const headers: (readonly [string, string])[] = [['user-agent', `Tocsin/${deps.version}`]];
    if (question !== null) headers.push(['content-type', 'application/ocsp-request']);
    const hop = await sendHop(
      { method: question === null ? 'GET' : 'POST', target, headers, body: question },
      { ...deps, family: 0, skipSSL: false, maxBytes, wantsBody: ({ statusCode }) => statusCode === 200, stop },
    );
    return answerOf(hop, maxBytes);
  } finally {
    release();
  }
}

function answerOf({ fault, answer, isCut, body }: Hop, maxBytes: number): Buffer | string {
  if (fault !== null) return fault.message;
  if (answer?.statusCode !== 200) return `it responded with status ${answer?.statusCode ?? 0}`;
  return isCut ? `it sent more than ${Math.round(maxBytes / 1024)} kB` : Buffer.concat(body.pieces);
}
