// Runs a request: authentication, parsing, the route's function, the response.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { requirePermission } from '#actions/accounts/permission.ts';
import { Refusal } from '#actions/refusal.ts';
import { isNeverRefused, neededPermission, type Operation } from '#contract/operation.ts';
import { contentRange, type PageQuery } from '#contract/paging.ts';
import type { Caller, UserPrincipal } from '#domain/accounts/api-key.ts';
import type { EnterQueue } from '#lib/fair-queue.ts';
import type { AddressLimit } from './address-limit.ts';
import { type AuditOption, runAudited } from './audited-calls.ts';
import {
  type Authenticate,
  type AuthenticateSession,
  bearerKey,
  callerOf,
  namedAccount,
  type KnownKey,
  unauthenticated,
} from './authenticate.ts';
import type { Connections } from './connections.ts';
import { HttpRefusal } from './http-refusal.ts';
import { type Input, parseInput } from './input.ts';
import { methodsOfOperation } from './methods-of.ts';
import { nextPageLink } from './next-page.ts';
import { type Allowance, countedAddress, type RateLimit } from './rate-limit.ts';
import { isRead, maxBodyBytes, nothingRead, type OtherBody, readJsonBody, readOtherBody } from './read-body.ts';
import { Answer, type AnyCall, JsonText, type MountedRoute, type Page, type Route } from './route.ts';
import { entityTag } from './revisions.ts';
import type { Held, Sending } from './sending/request-bytes.ts';
import { cookieToken, requireSameOrigin } from './session-cookie.ts';
import { ofCli } from './vendor/cli-requests.ts';
import { writeJson } from './write-json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the key is known; never for operations without authentication. */
    caller: Caller | undefined;
  }
}

/** Rate limits. */
export interface RateLimits {
  readonly keys: RateLimit;
  readonly accounts: RateLimit;
  /** For requests without a valid key or session. */
  readonly addresses: AddressLimit;
  /** For operations without authentication, pages and files of the web UI, and unknown paths. */
  readonly openPages: AddressLimit;
}

/** Looks up sessions of people; absent = only API keys are accepted. */
export interface SessionsOption {
  readonly authenticate: AuthenticateSession;
  /** Public URL of this server. */
  readonly publicUrl: () => string;
}

interface Mounting {
  readonly authenticate: Authenticate;
  readonly sessions?: SessionsOption;
  readonly rateLimits: RateLimits;
  readonly checkResponses?: boolean;
  readonly audit?: AuditOption;
  /** Time-sharing of parsing bodies and writing responses. */
  readonly fairQueue: EnterQueue;
  readonly sending: Sending;
  /** Absent = connections are unlimited. */
  readonly connections?: Connections | undefined;
  readonly ending: Ending;
}

/** Whether the server is shutting down. */
export interface Ending {
  isClosing: boolean;
}

/** Closes a connection after its response during shutdown; keep-alive would delay the shutdown. */
export function endIfClosing(reply: FastifyReply, { isClosing }: Ending): FastifyReply {
  return isClosing ? reply.header('connection', 'close') : reply;
}

const json = 'application/json; charset=utf-8';

/** What a download holds: a part that is being sent, and the next one. */
const partBytes = 512 * 1024;

/** Adds a route to the framework. Order of the checks: key 401, rate 429, account 403, role 403, body and input 4xx. */
export function mountRoute(app: FastifyInstance, route: MountedRoute, mounting: Mounting): void {
  const { operation } = route;
  app.route({
    method: methodsOfOperation(operation),
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: operation.refusesHead !== true,
    ...(operation.isCliVariant === true && { constraints: ofCli }),
    config: { verifiesKey: route.verifiesKey ?? operation.permission !== 'none' },
    onRequest: (request, reply, done) => {
      // Otherwise the framework would reject content types of bodies that this operation ignores or reads in any case.
      if (operation.body === undefined || operation.isAnyType === true) delete request.raw.headers['content-type'];
      const permission = neededPermission(operation, request.query);
      if (isNeverRefused(operation)) done();
      else if (permission === null) done(faultOf(() => requireOpenPage(request, mounting.rateLimits)));
      else identify(permission, request, reply, mounting, done);
    },
    handler: (request, reply) => answer(route, operation, request, reply, mounting),
  });
}

type Done = (error?: Error) => void;
type Permission = Exclude<Operation['permission'], 'none'>;

/** With a callback, because a cached key then costs no promise. */
function identify(
  permission: Permission,
  request: FastifyRequest,
  reply: FastifyReply,
  mounting: Mounting,
  done: Done,
): void {
  const { rateLimits, connections } = mounting;
  const decide = (known: Known | null): void => {
    const fault = faultOf(() => admit(known, permission, request, reply, rateLimits));
    if (fault === undefined) connections?.recognize(request.raw.socket);
    done(fault);
  };
  const refuse = (error: unknown): void => done(faultOf(() => refuseUnauthenticated(error, request, rateLimits)));
  let authenticated: Known | null | Promise<Known | null>;
  try {
    authenticated = lookUp(request, mounting);
  } catch (error) {
    refuse(error);
    return;
  }
  if (authenticated instanceof Promise) authenticated.then(decide, refuse);
  else decide(authenticated);
}

type Known = KnownKey | UserPrincipal;

/** A request with an Authorization header is authenticated by the key, whatever its cookies. */
function lookUp(
  { headers, method }: FastifyRequest,
  { authenticate, sessions }: Mounting,
): Known | null | Promise<Known | null> {
  const publicUrl = sessions?.publicUrl() ?? '';
  const token = headers.authorization === undefined && sessions ? cookieToken(headers, publicUrl) : undefined;
  if (token === undefined || sessions === undefined) return authenticate(bearerKey(headers), namedAccount(headers));
  if (method !== 'GET' && method !== 'HEAD') requireSameOrigin(headers, publicUrl, true);
  return sessions.authenticate(token, namedAccount(headers));
}

/** Authenticates the request again. Returns true if that fails because of a server problem. */
async function isStillAllowed(operation: Operation, request: FastifyRequest, mounting: Mounting): Promise<boolean> {
  const { permission } = operation;
  if (permission === 'none' || permission === 'any' || permission === 'user') return true;
  try {
    const known = await lookUp(request, mounting);
    if (known === null) return false;
    const caller = callerOf(known, request.headers);
    requirePermission(caller, permission);
    return caller.accountId === request.caller?.accountId;
  } catch (error) {
    return !(error instanceof HttpRefusal || error instanceof Refusal);
  }
}

function faultOf(work: () => void): Error | undefined {
  try {
    work();
  } catch (error) {
    return asError(error);
  }
  return undefined;
}

/** Never undefined: the framework would treat that as success. */
function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(`refused with ${String(error)}`);
}

function admit(
  known: Known | null,
  permission: Permission,
  request: FastifyRequest,
  reply: FastifyReply,
  rateLimits: RateLimits,
): void {
  if (known === null) {
    const message =
      request.headers.authorization === undefined
        ? 'The session has ended. Sign in again.'
        : 'The API key is unknown, was revoked or has expired.';
    return refuseUnauthenticated(unauthenticated(message), request, rateLimits);
  }
  const isUser = 'kind' in known;
  // Browsers and caches in between must not show it after signing out.
  if (isUser) reply.header('cache-control', 'no-store');
  const allowance = rateLimits.keys.take(isUser ? known.id : known.keyId);
  if (allowance !== null) {
    reply.header('x-ratelimit-limit', allowance.limit);
    reply.header('x-ratelimit-remaining', allowance.remaining);
    reply.header('x-ratelimit-reset', allowance.resetAtSeconds);
    requireAllowance(allowance, isUser ? 'for a person' : 'for an API key');
  }
  const caller = callerOf(known, request.headers);
  requireAllowance(rateLimits.accounts.take(caller.accountId), 'for an account');
  if (permission !== 'user' && permission !== 'any') requirePermission(caller, permission);
  else if (permission === 'user' && !isUser)
    throw new HttpRefusal(403, 'API keys have no sessions. Sign in to use this operation.');
  request.caller = caller;
}

/** Refuses a request without a valid key or session; with 429 if its address sends too many. */
function refuseUnauthenticated(error: unknown, request: FastifyRequest, { addresses }: RateLimits): never {
  if (error instanceof HttpRefusal && error.statusCode === 401) {
    requireAllowance(addresses.take(request.ip), 'for an address without a valid API key or session');
  }
  throw asError(error);
}

/** Refuses (429) a request without authentication whose address sends too many. */
export function requireOpenPage({ ip }: FastifyRequest, { openPages }: RateLimits): void {
  requireAllowance(openPages.take(ip), 'for an address to pages without sign-in');
}

function requireAllowance(allowance: Allowance | null, whom: string): void {
  if (allowance === null || allowance.isAllowed) return;
  throw new HttpRefusal(429, `Rate limit exceeded: at most ${allowance.limit} requests per minute ${whom}.`, {
    headers: { 'retry-after': String(allowance.retryAfterSeconds) },
  });
}

async function answer(
  route: Route,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  mounting: Mounting,
): Promise<FastifyReply> {
  const { checkResponses, fairQueue: lastServed, sending, ending } = mounting;
  // The hook in front already refused it; this is a second line of defense.
  if (neededPermission(operation, request.query) !== null && request.caller === undefined)
    throw unauthenticated('Authentication is required.');
  const accountId = request.caller?.accountId ?? null;
  const fairQueue = (size: number) => lastServed(accountId ?? '', size);
  const of = { operation, headers: request.headers, accountId, address: countedAddress(request.ip) };
  const reserved = sending.reserve(of, reply.raw);
  const held = reserved instanceof Promise ? await reserved : reserved;
  const body =
    operation.body === undefined
      ? undefined
      : await readJsonBody(request.headers, request.raw, fairQueue, maxBodyBytes(operation));
  const grown = held.growForResponse();
  if (grown !== null) await grown;
  const input = parseInput(operation, { params: request.params, query: request.query, body });
  const raw = isRead(operation) ? await readOtherBody(operation, request.headers, request.raw) : nothingRead;
  const call = callOf(input, raw, request, reply.raw, () => isStillAllowed(operation, request, mounting));
  const ran = mounting.audit?.isAudited(route.id) === true ? runAudited(route, call, mounting.audit) : route.run(call);
  const result = ran instanceof Promise ? await ran : ran;
  const written = writeAnswer(reply, operation, result, { ...input, checkResponses, fairQueue, held });
  const content = written instanceof Promise ? await written : written;
  // A stream holds what was reserved for it, or sets it itself.
  if (!(content instanceof Readable)) held.set(content?.length ?? 0);
  return endIfClosing(reply, ending).send(content);
}

/** What a response needs. */
type Content = string | Buffer | Readable | undefined;

interface Writing extends Pick<Input, 'query'> {
  readonly checkResponses: boolean | undefined;
  readonly fairQueue: (size: number) => Promise<void> | null;
  readonly held: Held;
}

/** Sets status and headers of a response; returns its content, or undefined if there is none. */
function writeAnswer(
  reply: FastifyReply,
  operation: Operation,
  result: unknown,
  writing: Writing,
): Content | Promise<Content> {
  const { query, checkResponses } = writing;
  if (result instanceof Answer) return writeOwnAnswer(reply, operation, result, writing);
  reply.code(operation.status ?? 200);
  if (operation.status === 204) return undefined;
  if (operation.media) {
    reply.type(`${operation.media}; charset=utf-8`);
    return result as string | undefined;
  }
  reply.header('content-type', json);
  if (result instanceof JsonText) {
    if (checkResponses && operation.response) checkResponse(operation.response, JSON.parse(result.text.toString()));
    return result.text;
  }
  const shown = operation.isPaged ? itemsOf(result as Page<unknown>, query as PageQuery, reply) : result;
  if (checkResponses && operation.response) checkResponse(operation.response, shown);
  if (operation.isRevised) reply.header('etag', entityTag(shown));
  return written(reply, shown, writing);
}

/** A request as a route sees it. */
function callOf(
  { params, query, body }: Input,
  { rawBody, bytes }: OtherBody,
  { headers, caller, method, ip: address, id: requestId }: FastifyRequest,
  response: ServerResponse,
  isStillAllowed: () => Promise<boolean>,
): AnyCall {
  const parts = { caller, params, query, body, headers, method, address, requestId, rawBody, bytes, isStillAllowed };
  let signal: AbortSignal | undefined;
  return {
    ...parts,
    get signal() {
      return (signal ??= leaving(response));
    },
  };
}

/** Aborts if the client disconnects before the response. */
function leaving(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  // Only if the client is still connected.
  if (response.closed) gone.abort();
  response.once('close', () => {
    if (!response.writableEnded) gone.abort();
  });
  return gone.signal;
}

function itemsOf(page: Page<unknown>, query: PageQuery, reply: FastifyReply): readonly unknown[] {
  const { items, total } = page;
  reply.header('content-range', contentRange(query, items.length, total));
  const next = nextPageLink(reply.request.url, query, items.length, total);
  if (next !== null) reply.header('link', next);
  return items;
}

/** A route's own status and headers, which may differ from the operation. */
function writeOwnAnswer(
  reply: FastifyReply,
  operation: Operation,
  { status, body, headers }: Answer,
  writing: Writing,
): Content | Promise<Content> {
  reply.code(status).headers(headers);
  if (body === undefined || Buffer.isBuffer(body)) return body;
  if (body instanceof Readable) {
    if (operation.media !== 'text/event-stream') writing.held.set(partBytes);
    return body;
  }
  if (typeof body === 'string' && operation.media) {
    if (!reply.hasHeader('content-type')) reply.type(`${operation.media}; charset=utf-8`);
    return body;
  }
  reply.header('content-type', json);
  return written(reply, body, writing);
}

/** JSON of a value; a large one is written to the socket in slices. */
async function written(reply: FastifyReply, value: unknown, { fairQueue, held }: Writing): Promise<Content> {
  let size = 0;
  const json = await writeJson(value, async (bytes) => {
    size += bytes;
    await held.grow(size);
    await fairQueue(bytes);
  });
  if (typeof json !== 'object') return json;
  const length = json.reduce((sum, slice) => sum + slice.length, 0);
  held.set(length);
  reply.header('content-length', length);
  return Readable.from(json, { objectMode: false, highWaterMark: 1 });
}

function checkResponse(schema: z.ZodType, body: unknown): void {
  const result = schema.safeParse(JSON.parse(JSON.stringify(body)));
  if (!result.success) throw new Error(`the response does not match the contract: ${result.error.message}`);
}
