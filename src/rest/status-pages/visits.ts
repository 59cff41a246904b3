// Visits of status pages: under their path, or under a host name of their own, which serves nothing else.
import type { IncomingHttpHeaders } from 'node:http';
import type { PageAccess } from '#actions/status-pages/page-access.ts';
import { pageCaching } from '#domain/status-pages/page-copies.ts';
import { pageHeaders } from '../html.ts';
import { countedAddress } from '../rate-limit.ts';
import {
  answerLink,
  answerSubscribe,
  type SubscribedPage,
  type SubscriptionVisitOptions,
  type VisitRequest,
  type VisitResponse,
} from './subscription-visits.ts';

/** A file as it is sent. */
interface SentFile {
  readonly mediaType: string;
  readonly content: Buffer;
  readonly etag: string;
  readonly gzipped: Buffer | null;
}

/** A published page. */
interface VisitedPage extends SubscribedPage {
  readonly url: string;
  readonly isPublished: boolean;
  readonly visibility: 'PUBLIC' | 'PASSWORD' | 'LINK' | 'ACCOUNT';
  readonly passwordHash: string | null;
  readonly allowIndexing: boolean;
  readonly takesSubscribers: boolean;
  readonly files: ReadonlyMap<string, SentFile>;
}

export interface VisitOptions extends SubscriptionVisitOptions {
  readonly site: {
    byId(pageId: string): VisitedPage | null;
    byUrl(url: string): VisitedPage | null;
    byHost(host: string): VisitedPage | null;
  };
  readonly access: PageAccess;
  /** Whether the session of a browser reaches an account. */
  readonly reachesAccount: (headers: IncomingHttpHeaders, accountId: string) => Promise<boolean>;
  /** Takes one of the passwords that an address, or its network, may try for a page; false = none is left. */
  readonly mayTry: (address: string, pageId: string) => boolean;
  readonly now: () => number;
}

const visitPath = /^\/status\/([^/?#]+)(\/[^?#]*)?(?:[?#]|$)/;
const linkPath = /^\/(confirm|unsubscribe)\/([\w-]{1,200})$/;
const tokenPath = /^\/~([\w-]{1,200})(\/.*)?$/;

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors";

/** Answers a visit; null = the request is none. */
export type Visits = (request: VisitRequest) => Promise<VisitResponse> | VisitResponse | null;

export function createVisits(options: VisitOptions): Visits {
  const { site } = options;
  return (request) => {
    const own = request.foreignName === null ? null : site.byHost(request.foreignName);
    if (own !== null) {
      const path = /^[^?#]*/.exec(request.target)?.[0] ?? '/';
      return linkVisit(options, path, request) ?? visit(options, own, { ...request, path, root: '/' });
    }
    if (request.foreignName !== null || !request.target.startsWith('/status/')) return null;
    const [, url = '', path] = visitPath.exec(request.target) ?? [];
    const linked = linkVisit(options, path ?? '', request);
    if (linked !== null) return linked;
    const found = site.byUrl(url);
    if (found === null) return notFound();
    if (path === undefined)
      return { status: 308, headers: { ...commonHeaders, location: `/status/${url}/` }, body: '' };
    return visit(options, found, { ...request, path, root: `/status/${url}/` });
  };
}

/** Links of mails work under every address, so that they survive another address of their page; null = it is none. */
function linkVisit(
  options: VisitOptions,
  path: string,
  request: VisitRequest,
): Promise<VisitResponse> | VisitResponse | null {
  const [, kind, token] = linkPath.exec(path) ?? [];
  if (kind === undefined || token === undefined) return null;
  if (!['GET', 'HEAD', 'POST'].includes(request.method)) return notAllowed('GET, HEAD, POST');
  // Who subscribed before a page became private learns nothing of it.
  const sheetsOf = (pageId: string) => {
    const page = options.site.byId(pageId);
    return page?.isPublished === true && page.visibility !== 'ACCOUNT' ? page.sheets : undefined;
  };
  return answerLink({ ...options, sheetsOf }, kind === 'confirm' ? kind : 'unsubscribe', token, request);
}

/** A visit of a page. */
interface PageVisit extends VisitRequest {
  /** Path below the page, with a slash in front. */
  readonly path: string;
  /** Path of the page. */
  readonly root: string;
}

function visit(options: VisitOptions, found: VisitedPage, request: PageVisit): Promise<VisitResponse> | VisitResponse {
  const { visibility, isPublished } = found;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isPublished && visibility === 'PUBLIC') {
    return isRead ? fileOf(found, request, pageCaching.page) : written(options, found, request);
  }
  return privateVisit(options, found, request, isRead);
}

/** Answers what visitors send to a page that they can see. */
function written(
  options: VisitOptions,
  found: VisitedPage,
  request: PageVisit,
): Promise<VisitResponse> | VisitResponse {
  if (request.method === 'POST' && request.path === '/subscribe' && found.takesSubscribers)
    return answerSubscribe(options, found, request);
  return notAllowed('GET, HEAD');
}

async function privateVisit(
  options: VisitOptions,
  found: VisitedPage,
  request: PageVisit,
  isRead: boolean,
): Promise<VisitResponse> {
  const { access, reachesAccount, mayTry, now } = options;
  const { visibility, isPublished, accountId, pageId } = found;
  const cache = 'private, no-cache';
  if (await reachesAccount(request.headers, accountId))
    return isRead ? fileOf(found, request, cache) : written(options, found, request);
  if (!isPublished || visibility === 'ACCOUNT' || visibility === 'PUBLIC') return notFound();
  if (visibility === 'LINK') {
    const [, token = '', path = ''] = tokenPath.exec(request.path) ?? [];
    if (!access.opensLink(found, token)) return notFound();
    if (path === '')
      return { status: 308, headers: { ...commonHeaders, location: `${request.root}~${token}/` }, body: '' };
    const inside = { ...request, path };
    return isRead ? fileOf(found, inside, cache) : written(options, found, inside);
  }
  if (access.isUnlocked(found, request.headers.cookie, now())) {
    return isRead ? fileOf(found, request, cache) : written(options, found, request);
  }
  if (isRead) return passwordForm(found, request.root, null);
  if (request.method !== 'POST' || request.path !== '/unlock') return notAllowed('GET, HEAD, POST');
  if (!mayTry(countedAddress(request.address), pageId)) return passwordForm(found, request.root, 'many', 429);
  const password = (await request.readForm())?.get('password') ?? '';
  if (!(await access.isPassword(found, password))) return passwordForm(found, request.root, 'wrong', 403);
  const isSecure =
    request.headers['x-forwarded-proto'] === 'https' || request.headers.origin?.startsWith('https:') === true;
  const cookie = access.unlock(found, { path: request.root, isSecure }, now());
  return { status: 303, headers: { ...commonHeaders, location: request.root, 'set-cookie': cookie }, body: '' };
}

function fileOf(
  { files, allowIndexing }: VisitedPage,
  { path, headers, method }: PageVisit,
  cache: string,
): VisitResponse {
  const name = path.slice(1);
  const file = files.get(name === '' || name.endsWith('/') ? `${name}index.html` : name);
  if (file === undefined) return notFound();
  const common = {
    ...commonHeaders,
    'content-security-policy': `${policy} ${name === 'embed.html' ? '*' : "'none'"}`,
    etag: file.etag,
    // Their names contain a hash of their content.
    'cache-control': cache === pageCaching.page && name.startsWith('assets/') ? pageCaching.asset : cache,
    vary: 'accept-encoding',
    ...(!allowIndexing && { 'x-robots-tag': 'noindex, nofollow' }),
  };
  if (headers['if-none-match']?.split(/\s*,\s*/).includes(file.etag) === true)
    return { status: 304, headers: common, body: '' };
  const isZipped =
    file.gzipped !== null && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(headers['accept-encoding'] ?? '');
  const body = isZipped && file.gzipped !== null ? file.gzipped : file.content;
  return {
    status: 200,
    headers: {
      ...common,
      'content-type': file.mediaType,
      'content-length': String(body.length),
      ...(isZipped && { 'content-encoding': 'gzip' }),
    },
    body: method === 'HEAD' ? '' : body,
  };
}

function notFound(): VisitResponse {
  return {
    status: 404,
    headers: { ...commonHeaders, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    body: 'There is no page at this address.\n',
  };
}

function notAllowed(allow: string): VisitResponse {
  return {
    status: 405,
    headers: { ...commonHeaders, allow, 'content-type': 'text/plain; charset=utf-8' },
    body: `Use ${allow}.\n`,
  };
}

function passwordForm(
  { sheets }: VisitedPage,
  root: string,
  problem: 'wrong' | 'many' | null,
  status = 200,
): VisitResponse {
  return {
    status,
    headers: { ...pageHeaders, 'content-security-policy': sheets.policy },
    body: sheets.askPassword(`${root}unlock`, problem),
  };
}
