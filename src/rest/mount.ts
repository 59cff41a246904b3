// How a request of one operation runs: who asks, what was sent, the route's function, the answer.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { requirePermission } from '#actions/accounts/permission.ts';
import type { Operation } from '#contract/operation.ts';
import { contentRange, type PageQuery } from '#contract/paging.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Turn } from '#lib/fair-queue.ts';
import {
  type Authenticate,
  bearerKey,
  callerOf,
  namedAccount,
  type KnownKey,
  unauthenticated,
} from './authenticate.ts';
import { HttpRefusal } from './http-refusal.ts';
import { type Input, parseInput } from './input.ts';
import { methodsOfOperation } from './methods-of.ts';
import { type Allowance, countedAddress, type RateLimit } from './rate-limit.ts';
import { readJsonBody, readRawBody } from './read-body.ts';
import { Answer, type AnyCall, JsonText, type MountedRoute, type Page, type Route } from './route.ts';
import { writeJson } from './write-json.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the key is known; never on operations that ask for none. */
    caller: Caller | undefined;
  }
}

/** How often one may ask. */
export interface RateLimits {
  readonly keys: RateLimit;
  readonly accounts: RateLimit;
  /** Of requests without a key that is known. */
  readonly addresses: RateLimit;
}

interface Mounting {
  readonly authenticate: Authenticate;
  readonly rateLimits: RateLimits;
  readonly checkResponses?: boolean;
  /** Of parsing bodies and writing answers. */
  readonly turn: Turn;
  readonly ending: Ending;
}

/** Whether the server is closing. */
export interface Ending {
  isClosing: boolean;
}

/** A connection that is answered while the server closes ends with its answer; kept alive it would hold the end up. */
export function endIfClosing(reply: FastifyReply, { isClosing }: Ending): FastifyReply {
  return isClosing ? reply.header('connection', 'close') : reply;
}

const json = 'application/json; charset=utf-8';

/** Adds a route to the framework. Order of the checks: key 401, rate 429, account 403, role 403, body and input 4xx. */
export function mountRoute(app: FastifyInstance, route: MountedRoute, mounting: Mounting): void {
  const { operation } = route;
  app.route({
    method: methodsOfOperation(operation),
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: operation.refusesHead !== true,
    onRequest: (request, reply, done) => {
      // The framework would judge the type of a body that this operation ignores, or reads whatever its type.
      if (operation.body === undefined || operation.isAnyType === true) delete request.raw.headers['content-type'];
      if (operation.permission === 'none') done();
      else identify(operation.permission, request, reply, mounting, done);
    },
    handler: (request, reply) => answer(route, operation, request, reply, mounting),
  });
}

type Done = (error?: Error) => void;
type Permission = Exclude<Operation['permission'], 'none'>;

/** With a callback: a key that is remembered costs no promise. */
function identify(
  permission: Permission,
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticate, rateLimits }: Mounting,
  done: Done,
): void {
  const decide = (key: KnownKey | null): void =>
    done(faultOf(() => admit(key, permission, request, reply, rateLimits)));
  const refuse = (error: unknown): void => done(faultOf(() => refuseStranger(error, request, rateLimits)));
  let looked: ReturnType<Authenticate>;
  try {
    looked = authenticate(bearerKey(request.headers), namedAccount(request.headers));
  } catch (error) {
    refuse(error);
    return;
  }
  if (looked instanceof Promise) looked.then(decide, refuse);
  else decide(looked);
}

function faultOf(work: () => void): Error | undefined {
  try {
    work();
  } catch (error) {
    return asError(error);
  }
  return undefined;
}

/** Never nothing: the framework would take that for a request without a fault. */
function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(`refused with ${String(error)}`);
}

function admit(
  key: KnownKey | null,
  permission: Permission,
  request: FastifyRequest,
  reply: FastifyReply,
  rateLimits: RateLimits,
): void {
  if (key === null) {
    return refuseStranger(unauthenticated('The API key is unknown, was revoked or has expired.'), request, rateLimits);
  }
  const allowance = rateLimits.keys.take(key.keyId);
  if (allowance !== null) {
    reply.header('x-ratelimit-limit', allowance.limit);
    reply.header('x-ratelimit-remaining', allowance.remaining);
    reply.header('x-ratelimit-reset', allowance.resetAtSeconds);
    requireAllowance(allowance, 'for an API key');
  }
  const caller = callerOf(key, request.headers);
  requireAllowance(rateLimits.accounts.take(caller.accountId), 'for an account');
  requirePermission(caller, permission);
  request.caller = caller;
}

/** Refuses a request without a known key; from an address that sends many, with a 429. */
function refuseStranger(error: unknown, request: FastifyRequest, { addresses }: RateLimits): never {
  if (error instanceof HttpRefusal && error.statusCode === 401) {
    requireAllowance(addresses.take(countedAddress(request.ip)), 'for an address without a valid API key');
  }
  throw asError(error);
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
  { checkResponses, turn: turnOf, ending }: Mounting,
): Promise<FastifyReply> {
  // The gate in front decides; a request that came round it goes no further.
  if (operation.permission !== 'none' && request.caller === undefined) throw unauthenticated('An API key is required.');
  const turn = (size: number) => turnOf(request.caller?.accountId ?? '', size);
  const body = operation.body === undefined ? undefined : await readJsonBody(request.headers, request.raw, turn);
  const input = parseInput(operation, { params: request.params, query: request.query, body });
  const { rawBodyMost } = operation;
  const rawBody = rawBodyMost === undefined ? null : await readRawBody(request.raw, rawBodyMost);
  const ran = route.run(new RouteCall(input, rawBody, request, reply));
  const result = ran instanceof Promise ? await ran : ran;
  const content = writeAnswer(reply, operation, result, { ...input, checkResponses, turn });
  return endIfClosing(reply, ending).send(content instanceof Promise ? await content : content);
}

/** What is sent of an answer. */
type Content = string | Buffer | Readable | undefined;

interface Writing extends Pick<Input, 'query'> {
  readonly checkResponses: boolean | undefined;
  readonly turn: (size: number) => Promise<void> | null;
}

/** Sets status and headers of an answer; its content, or undefined where it has none. */
function writeAnswer(
  reply: FastifyReply,
  operation: Operation,
  result: unknown,
  { query, checkResponses, turn }: Writing,
): Content | Promise<Content> {
  if (result instanceof Answer) return writeOwnAnswer(reply, operation, result, turn);
  reply.code(operation.status);
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
  return written(reply, shown, turn);
}

/** One request as a route sees it. */
class RouteCall implements AnyCall {
  readonly caller: Caller | undefined;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
  readonly rawBody: string | null;
  readonly #response: ServerResponse;

  constructor(
    { params, query, body }: Input,
    rawBody: string | null,
    { headers, caller, method }: FastifyRequest,
    { raw }: FastifyReply,
  ) {
    this.params = params;
    this.query = query;
    this.body = body;
    this.headers = headers;
    this.method = method;
    this.rawBody = rawBody;
    this.caller = caller;
    this.#response = raw;
  }

  get signal(): AbortSignal {
    const gone = new AbortController();
    // Who has gone before is not told of again.
    if (this.#response.closed) gone.abort();
    this.#response.once('close', () => {
      if (!this.#response.writableEnded) gone.abort();
    });
    return gone.signal;
  }
}

function itemsOf(page: Page<unknown>, query: PageQuery, reply: FastifyReply): readonly unknown[] {
  reply.header('content-range', contentRange(query, page.items.length, page.total));
  return page.items;
}

/** A route's own status and headers, which may differ from what the operation declares. */
function writeOwnAnswer(
  reply: FastifyReply,
  operation: Operation,
  { status, body, headers }: Answer,
  turn: Writing['turn'],
): Content | Promise<Content> {
  reply.code(status).headers(headers);
  if (body === undefined || Buffer.isBuffer(body) || body instanceof Readable) return body;
  if (typeof body === 'string' && operation.media) {
    if (!reply.hasHeader('content-type')) reply.type(`${operation.media}; charset=utf-8`);
    return body;
  }
  reply.header('content-type', json);
  return written(reply, body, turn);
}

/** JSON of a value; a large one is handed to the socket slice by slice. */
async function written(reply: FastifyReply, value: unknown, turn: Writing['turn']): Promise<Content> {
  const json = await writeJson(value, turn);
  if (typeof json !== 'object') return json;
  reply.header(
    'content-length',
    json.reduce((sum, { length }) => sum + length, 0),
  );
  return Readable.from(json, { objectMode: false, highWaterMark: 1 });
}

function checkResponse(schema: z.ZodType, body: unknown): void {
  const result = schema.safeParse(JSON.parse(JSON.stringify(body)));
  if (!result.success) throw new Error(`the answer is not what the contract says: ${result.error.message}`);
}
