// One request to a responder or for a list, over plain http, within bounds: who it is asked of stands in a stranger's certificate.
import type { SecureContext } from 'node:tls';
import type { Trust } from '#lib/net/tls-trust.ts';
import { type Hop, sendHop, type Stop, timeIsUp } from '../../parts/http/hop.ts';
import { parseTarget } from '../../parts/http/target.ts';
import type { EgressGuard } from '../../kind.ts';
import { stopped } from '../../parts/findings/light.ts';

/** What is asked. */
export interface Asking {
  readonly url: string;
  /** The question to a responder; null = a list is fetched. */
  readonly question: Buffer | null;
  /** Of the answer. */
  readonly mostBytes: number;
}

/** How it is asked. */
export interface AskingMeans {
  readonly guard: EgressGuard;
  readonly secureContext: SecureContext;
  readonly trust: Trust;
  /** Of Tocsin. */
  readonly version: string;
  /** ms. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Asks; a text says why no answer came. Redirects are not followed. Never rejects. */
export async function askAuthority(asking: Asking, means: AskingMeans): Promise<Buffer | string> {
  const { url, question, mostBytes } = asking;
  const target = parseTarget(url);
  if (target === null || target.isTls) return 'its address is not an http:// URL';
  if (means.signal.aborted) return stopped.message;
  const stop: Stop = { end: null };
  const timer = setTimeout(() => stop.end?.(timeIsUp(means.limitMs)), means.limitMs);
  const onAbort = (): void => stop.end?.(() => stopped);
  means.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const headers: (readonly [string, string])[] = [['user-agent', `Tocsin/${means.version}`]];
    if (question !== null) headers.push(['content-type', 'application/ocsp-request']);
    const hop = await sendHop(
      { method: question === null ? 'GET' : 'POST', target, headers, body: question },
      { ...means, family: 0, skipSSL: false, mostBytes, wantsBody: ({ statusCode }) => statusCode === 200, stop },
    );
    return answerOf(hop, mostBytes);
  } finally {
    clearTimeout(timer);
    means.signal.removeEventListener('abort', onAbort);
  }
}

function answerOf({ fault, answer, isCut, body }: Hop, mostBytes: number): Buffer | string {
  if (fault !== null) return fault.message;
  if (answer?.statusCode !== 200) return `it responded with status ${answer?.statusCode ?? 0}`;
  return isCut ? `it sent more than ${Math.round(mostBytes / 1024)} kB` : Buffer.concat(body.pieces);
}
