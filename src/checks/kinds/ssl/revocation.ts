// Checks whether a certificate is revoked: by the stapled response, otherwise by a responder or CRL of the CA
// (docs/decisions/0037).
import { createRecent, type Recent } from '#lib/recent.ts';
import type { Peer } from '../../parts/connection/handshake.ts';
import { type ListPlace, readCertificate } from './certificate-parts.ts';
import { maxOcspBytes, ocspQuestion, readOcspAnswer } from './ocsp.ts';
import { isListOf, readRevokedList, type RevokedList, statusInList } from './revoked-list.ts';
import { type Issued, reading, type StatusStatement, type NoStatus } from './status-statement.ts';
import type { SslConfig } from './schema.ts';
import type { JsonObject } from '#domain/json.ts';
import type { SecureContext } from 'node:tls';
import type { Trust } from '#lib/net/tls-trust.ts';
import { type Hop, sendHop, type Stop, timeIsUp } from '../../parts/http/hop.ts';
import { parseTarget } from '../../parts/http/request.ts';
import type { EgressGuard } from '../../kind.ts';
import { stopped } from '../../parts/connection/fault.ts';
import { withinLimit } from '../../parts/connection/reach.ts';

export type RevocationSource = 'STAPLED' | 'OCSP' | 'CRL';

export interface Revocation {
  readonly status: StatusStatement['status'];
  /** null if there is no status. */
  readonly source: RevocationSource | null;
  /** null if there is no valid statement. */
  readonly statement: StatusStatement | null;
  /** Why the status is unknown, or null. */
  readonly problem: string | null;
  /** What is wrong with the response, or null. */
  readonly flaw: string | null;
}

/** Time limit of all queries. */
const maxMs = 5000;
/** Maximum bytes of a CRL, and of all cached CRLs. */
const maxListBytes = 5 * 1024 * 1024;
const maxCachedBytes = 20 * 1024 * 1024;
/** Approximate overhead of a cached CRL in bytes; limits their number, too. */
const listBytes = 20_000;
/** How long a status is cached, and how long an unresponsive CA is not queried again. */
const cacheMs = 3_600_000;
const leftAloneMs = 300_000;
const maxCached = 2000;

type Lists = Recent<Cached<RevokedList>>;

/** Cached value; times in epoch ms. */
interface Cached<Value> {
  readonly value: Value;
  readonly from: number;
  readonly until: number;
}

export interface RevocationOptions extends Omit<AskingDeps, 'limitMs'> {
  readonly mode: SslConfig['revocation'];
  /** Epoch ms. */
  readonly now: number;
  /** Remaining time of the check. */
  readonly leftMs: number;
}

/** Checks revocation; null if disabled. Never rejects. */
export type FindRevocation = (peer: Peer, inspecting: RevocationOptions) => Promise<Revocation | null>;

/** Creates the check with a cache shared by all checks of this thread. */
export function createFindRevocation(): FindRevocation {
  const known = createRecent<Cached<Revocation>>({ max: maxCached, sizeOf: () => 1 });
  const lists: Lists = createRecent({ max: maxCachedBytes, sizeOf: ({ value }) => value.entries.length + listBytes });
  return async (peer, inspecting) => {
    if (inspecting.mode === 'OFF') return null;
    const issued = issuedIn(peer.path);
    if (typeof issued === 'string') return notKnown(issued);
    const stapled = peer.staple === null ? null : stapledIn(peer.staple, issued, inspecting.now);
    if (stapled !== null && stapled.problem === null) return stapled;
    if (inspecting.mode === 'STAPLED') return stapled ?? notKnown('no OCSP response is stapled');
    const { fingerprint256 } = peer.path[0];
    const kept = validCached(known.get(fingerprint256), inspecting.now);
    const asked = kept ?? (await askAll(issued, lists, inspecting));
    if (kept === null && !inspecting.signal.aborted) {
      const forMs = asked.problem === null ? cacheMs : leftAloneMs;
      known.set(fingerprint256, cachedFor(asked, asked.statement?.nextUpdate ?? null, forMs, inspecting.now));
    }
    return { ...asked, flaw: stapled?.flaw ?? asked.flaw };
  };
}

/** Returns a certificate with its issuer, or why its status cannot be known. */
function issuedIn([own, issuer]: Peer['path']): Issued | string {
  if (own.checkIssued(own)) return 'it is self-signed';
  if (issuer === undefined) return 'the server did not send the certificate of its CA';
  const read = reading(() => ({
    own: readCertificate(own.raw),
    issuer: readCertificate(issuer.raw),
    issuerCertificate: issuer,
  }));
  return 'problem' in read ? read.problem : read;
}

function notKnown(problem: string, flaw: string | null = null): Revocation {
  return { status: 'unknown', source: null, statement: null, problem, flaw };
}

function stapledIn(staple: Buffer, issued: Issued, now: number): Revocation {
  return revocationOf('STAPLED', readOcspAnswer(staple, issued, now), 'the stapled OCSP response');
}

/** @param what begins the message */
function revocationOf(source: RevocationSource, statement: StatusStatement | NoStatus, what: string): Revocation {
  if ('problem' in statement) {
    const problem = `${what} cannot be used: ${statement.problem}`;
    // A server should not staple an error response, either.
    return notKnown(problem, statement.isUnbelievable || source === 'STAPLED' ? problem : null);
  }
  if (statement.status !== 'unknown') return { status: statement.status, source, statement, problem: null, flaw: null };
  const problem = `${what} does not know the certificate`;
  return { status: 'unknown', source, statement, problem, flaw: problem };
}

/** Queries sources in order until one knows the status, within the time limit. */
async function askAll(issued: Issued, lists: Lists, inspecting: RevocationOptions): Promise<Revocation> {
  const { ocspUrls } = issued.own;
  const deadline = performance.now() + Math.min(maxMs, inspecting.leftMs);
  const sources = [
    ...ocspUrls.map((url) => (deps: Deps) => askResponder(url, issued, deps)),
    ...issued.own.lists.map((place) => (deps: Deps) => askList(place, issued, lists, deps)),
  ];
  let unsure = notKnown('the certificate names no OCSP responder or revocation list with an http:// URL');
  const problems: string[] = [];
  let flaw: string | null = null;
  for (const [index, ask] of sources.entries()) {
    // Each source gets an equal share of the remaining time.
    const limitMs = Math.max(0, deadline - performance.now()) / (sources.length - index);
    // oxlint-disable-next-line no-await-in-loop -- the next is asked only if this one does not know
    const found = await ask({ ...inspecting, limitMs });
    flaw ??= found.flaw;
    if (found.problem === null) return { ...found, flaw };
    problems.push(found.problem);
    if (unsure.statement === null) unsure = found;
  }
  return { ...unsure, problem: problems.join('; ') || unsure.problem, flaw };
}

type Deps = RevocationOptions & Pick<AskingDeps, 'limitMs'>;

async function askResponder(url: string, issued: Issued, deps: Deps): Promise<Revocation> {
  const what = `the OCSP responder ${shown(url)}`;
  const answer = await askAuthority({ url, question: ocspQuestion(issued), maxBytes: maxOcspBytes }, deps);
  if (typeof answer === 'string') return notKnown(`${what} could not be queried: ${answer}`);
  return revocationOf('OCSP', readOcspAnswer(answer, issued, deps.now), what);
}

async function askList(place: ListPlace, issued: Issued, lists: Lists, deps: Deps): Promise<Revocation> {
  const { url } = place;
  const what = `the revocation list ${shown(url)}`;
  const name = `${issued.issuerCertificate.fingerprint256} ${url}`;
  let list = validCached(lists.get(name), deps.now);
  // The cached CRL may belong to another distribution point with the same URL.
  if (list === null || !isListOf(list, place)) {
    const answer = await askAuthority({ url, question: null, maxBytes: maxListBytes }, deps);
    if (typeof answer === 'string') return notKnown(`${what} could not be fetched: ${answer}`);
    const read = readRevokedList(answer, issued, place, deps.now);
    if ('problem' in read) return revocationOf('CRL', read, what);
    list = read;
    lists.set(name, cachedFor(list, list.nextUpdate, cacheMs, deps.now));
  }
  const known = list;
  return revocationOf(
    'CRL',
    reading(() => statusInList(known, issued)),
    what,
  );
}

function shown(url: string): string {
  return url.slice(0, 200);
}

function cachedFor<Value>(value: Value, nextUpdate: number | null, forMs: number, now: number): Cached<Value> {
  return { value, from: now, until: Math.min(nextUpdate ?? Number.POSITIVE_INFINITY, now + forMs) };
}

/** Returns a cached value that is still valid, also after the clock was set back. */
function validCached<Value>(kept: Cached<Value> | undefined, now: number): Value | null {
  return kept !== undefined && kept.from <= now && now < kept.until ? kept.value : null;
}

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

interface Asking {
  readonly url: string;
  /** OCSP request; null fetches a CRL. */
  readonly question: Buffer | null;
  /** Maximum size of the response. */
  readonly maxBytes: number;
}

interface AskingDeps {
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
async function askAuthority(asking: Asking, deps: AskingDeps): Promise<Buffer | string> {
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
