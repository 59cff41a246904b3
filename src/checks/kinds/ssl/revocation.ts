// Whether a certificate is revoked: from what the server staples, else from a responder or a list of its authority
// (docs/decisions/0037).
import type { Peer } from '../../parts/connection/handshake.ts';
import { askAuthority, type AskingMeans } from './ask-authority.ts';
import { type ListPlace, readCertificate } from './certificate-parts.ts';
import { mostOcspBytes, ocspQuestion, readOcspAnswer } from './ocsp.ts';
import { isListOf, readRevokedList, type RevokedList, saidInList } from './revoked-list.ts';
import { type Issued, reading, type Said, type Unsaid } from './said.ts';
import type { SslConfig } from './schema.ts';

/** Who said it. */
export type RevocationSource = 'STAPLED' | 'OCSP' | 'CRL';

/** What is known. */
export interface Revocation {
  readonly status: Said['status'];
  /** null = nobody said anything. */
  readonly source: RevocationSource | null;
  /** null = nobody said anything that can be believed. */
  readonly said: Said | null;
  /** Why it is not known; null = it is. */
  readonly problem: string | null;
  /** What is wrong with what was stapled or answered, in a sentence; null = nothing. */
  readonly flaw: string | null;
}

/** The most of all an asking may take, ms. */
const mostMs = 5000;
/** The most bytes of a list, and of all lists that are kept. */
const mostListBytes = 5 * 1024 * 1024;
const mostKeptBytes = 20 * 1024 * 1024;
/** What a list takes beside its entries, about: so there is a bound to how many are kept, too. */
const listBytes = 20_000;
/** How long what was said is believed, and how long an authority that said nothing is left alone, ms. */
const believedMs = 3_600_000;
const leftAloneMs = 300_000;
/** Certificates whose status is kept. */
const mostKept = 2000;

/** What was asked, kept for a while; times in epoch ms. */
interface Kept<Value> {
  readonly value: Value;
  readonly from: number;
  readonly until: number;
}

/** How a certificate is looked at. */
export interface Looking extends Omit<AskingMeans, 'limitMs'> {
  readonly mode: SslConfig['revocation'];
  /** Epoch ms. */
  readonly now: number;
  /** What is left of the time of the check, ms. */
  readonly leftMs: number;
}

/** Finds out; null = nobody wants to know. Never rejects. */
export type FindRevocation = (peer: Peer, looking: Looking) => Promise<Revocation | null>;

/** With a memory of its own: what was asked for one check is known for the others of this thread. */
export function createFindRevocation(): FindRevocation {
  const known = new Map<string, Kept<Revocation>>();
  const lists = new Map<string, Kept<RevokedList>>();
  return async (peer, looking) => {
    if (looking.mode === 'OFF') return null;
    const issued = issuedIn(peer.path);
    if (typeof issued === 'string') return notKnown(issued);
    const stapled = peer.staple === null ? null : stapledIn(peer.staple, issued, looking.now);
    if (stapled !== null && stapled.problem === null) return stapled;
    if (looking.mode === 'STAPLED') return stapled ?? notKnown('no OCSP response is stapled');
    const { fingerprint256 } = peer.path[0];
    const kept = stillKept(known.get(fingerprint256), looking.now);
    const asked = kept ?? (await askAll(issued, lists, looking));
    if (kept === null && !looking.signal.aborted) keep(known, fingerprint256, asked, looking.now);
    return { ...asked, flaw: stapled?.flaw ?? asked.flaw };
  };
}

/** A certificate with the one that signed it; a text says why nothing can be known of it. */
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
  return { status: 'unknown', source: null, said: null, problem, flaw };
}

function stapledIn(staple: Buffer, issued: Issued, now: number): Revocation {
  return revocationOf('STAPLED', readOcspAnswer(staple, issued, now), 'the stapled OCSP response');
}

/** @param what the sentence of its problem begins with it */
function revocationOf(source: RevocationSource, said: Said | Unsaid, what: string): Revocation {
  if ('problem' in said) {
    const problem = `${what} cannot be used: ${said.problem}`;
    // A server should not pass on that a responder refused, either.
    return notKnown(problem, said.isUnbelievable || source === 'STAPLED' ? problem : null);
  }
  if (said.status !== 'unknown') return { status: said.status, source, said, problem: null, flaw: null };
  const problem = `${what} does not know the certificate`;
  return { status: 'unknown', source, said, problem, flaw: problem };
}

/** Asks one after the other until somebody knows, within one limit of time. */
async function askAll(issued: Issued, lists: Map<string, Kept<RevokedList>>, looking: Looking): Promise<Revocation> {
  const { ocspUrls } = issued.own;
  const deadline = performance.now() + Math.min(mostMs, looking.leftMs);
  const sources = [
    ...ocspUrls.map((url) => (means: Means) => askResponder(url, issued, means)),
    ...issued.own.lists.map((place) => (means: Means) => askList(place, issued, lists, means)),
  ];
  let unsure = notKnown('the certificate names no OCSP responder or revocation list with an http:// URL');
  const problems: string[] = [];
  let flaw: string | null = null;
  for (const [index, ask] of sources.entries()) {
    // Who is silent leaves time for those after it.
    const limitMs = Math.max(0, deadline - performance.now()) / (sources.length - index);
    // oxlint-disable-next-line no-await-in-loop -- the next is asked only if this one does not know
    const found = await ask({ ...looking, limitMs });
    flaw ??= found.flaw;
    if (found.problem === null) return { ...found, flaw };
    problems.push(found.problem);
    if (unsure.said === null) unsure = found;
  }
  return { ...unsure, problem: problems.join('; ') || unsure.problem, flaw };
}

type Means = Looking & Pick<AskingMeans, 'limitMs'>;

async function askResponder(url: string, issued: Issued, means: Means): Promise<Revocation> {
  const what = `the OCSP responder ${shown(url)}`;
  const answer = await askAuthority({ url, question: ocspQuestion(issued), mostBytes: mostOcspBytes }, means);
  if (typeof answer === 'string') return notKnown(`${what} could not be queried: ${answer}`);
  return revocationOf('OCSP', readOcspAnswer(answer, issued, means.now), what);
}

async function askList(
  place: ListPlace,
  issued: Issued,
  lists: Map<string, Kept<RevokedList>>,
  means: Means,
): Promise<Revocation> {
  const { url } = place;
  const what = `the revocation list ${shown(url)}`;
  const name = `${issued.issuerCertificate.fingerprint256} ${url}`;
  let list = stillKept(lists.get(name), means.now);
  // What is kept was of another certificate: this one may name the same address, and not the same point.
  if (list === null || !isListOf(list, place)) {
    const answer = await askAuthority({ url, question: null, mostBytes: mostListBytes }, means);
    if (typeof answer === 'string') return notKnown(`${what} could not be fetched: ${answer}`);
    const read = readRevokedList(answer, issued, place, means.now);
    if ('problem' in read) return revocationOf('CRL', read, what);
    list = read;
    lists.set(name, keptFor(list, list.nextUpdate, believedMs, means.now));
    forget(
      lists,
      (all) => [...all].reduce((sum, { value }) => sum + value.entries.length + listBytes, 0) > mostKeptBytes,
    );
  }
  const known = list;
  return revocationOf(
    'CRL',
    reading(() => saidInList(known, issued)),
    what,
  );
}

function shown(url: string): string {
  return url.slice(0, 200);
}

function keep(known: Map<string, Kept<Revocation>>, name: string, value: Revocation, now: number): void {
  const forMs = value.problem === null ? believedMs : leftAloneMs;
  known.delete(name);
  known.set(name, keptFor(value, value.said?.nextUpdate ?? null, forMs, now));
  forget(known, () => known.size > mostKept);
}

function keptFor<Value>(value: Value, nextUpdate: number | null, forMs: number, now: number): Kept<Value> {
  return { value, from: now, until: Math.min(nextUpdate ?? Number.POSITIVE_INFINITY, now + forMs) };
}

/** What is kept and of this time, also when the clock was set back meanwhile. */
function stillKept<Value>(kept: Kept<Value> | undefined, now: number): Value | null {
  return kept !== undefined && kept.from <= now && now < kept.until ? kept.value : null;
}

/** The oldest go first. */
function forget<Value>(kept: Map<string, Kept<Value>>, isTooMuch: (all: Iterable<Kept<Value>>) => boolean): void {
  for (const name of kept.keys()) {
    if (!isTooMuch(kept.values())) return;
    kept.delete(name);
  }
}
