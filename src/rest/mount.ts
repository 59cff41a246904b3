// How a request of one operation runs: who asks, what was sent, the route's function, the answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { requirePermission } from '#actions/permission.ts';
import type { Operation } from '#contract/operation.ts';
import { operationOf } from '#contract/operations.ts';
import { contentRange, type PageQuery } from '#contract/paging.ts';
import type { Caller } from '#domain/api-key.ts';
import { type Authenticate, bearerKey, callerOf, unauthenticated } from './authenticate.ts';
import { HttpRefusal } from './http-refusal.ts';
import { type Input, parseInput } from './input.ts';
import type { RateLimit } from './rate-limit.ts';
import { readJsonBody } from './read-body.ts';
import { Answer, type AnyCall, JsonText, type Page, type Route } from './route.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the key is known; never on operations that ask for none. */
    caller: Caller | undefined;
  }
}

interface Mounting {
  readonly authenticate: Authenticate;
  readonly rateLimit: RateLimit;
  readonly checkResponses?: boolean;
}

const json = 'application/json; charset=utf-8';

/** Adds a route to the framework. Order of the checks: key 401, rate 429, account 403, role 403, body and input 4xx. */
export function mountRoute(app: FastifyInstance, route: Route, mounting: Mounting): void {
  const operation = operationOf(route.id);
  app.route({
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: operation.refusesHead !== true,
    onRequest: async (request, reply) => {
      if (operation.permission !== 'none') await admit(operation.permission, request, reply, mounting);
      // The framework would judge the type of a body that this operation ignores.
      if (operation.body === undefined) delete request.raw.headers['content-type'];
    },
    handler: (request, reply) => answer(route, operation, request, reply, mounting.checkResponses === true),
  });
}

async function admit(
  permission: Exclude<Operation['permission'], 'none'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticate, rateLimit }: Mounting,
): Promise<void> {
  const looked = authenticate(bearerKey(request.headers));
  const key = looked instanceof Promise ? await looked : looked;
  if (key === null) throw unauthenticated('The API key is unknown, was revoked or has expired.');
  const allowance = rateLimit.take(key.keyId);
  if (allowance !== null) {
    reply.header('x-ratelimit-limit', allowance.limit);
    reply.header('x-ratelimit-remaining', allowance.remaining);
    reply.header('x-ratelimit-reset', allowance.resetAtSeconds);
    if (!allowance.isAllowed) {
      throw new HttpRefusal(429, `At most ${allowance.limit} requests a minute are allowed for an API key.`, {
        headers: { 'retry-after': String(allowance.retryAfterSeconds) },
      });
    }
  }
  const caller = callerOf(key, request.headers);
  requirePermission(caller, permission);
  request.caller = caller;
}

async function answer(
  route: Route,
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  isChecked: boolean,
): Promise<FastifyReply> {
  const body = operation.body === undefined ? undefined : await readJsonBody(request.headers, request.raw);
  const needsParsing = operation.params ?? operation.query ?? operation.body;
  const input = needsParsing ? parseInput(operation, { params: request.params, query: request.query, body }) : nothing;
  const result = await route.run(callOf(input, request, reply));
  if (result instanceof Answer) return sendAnswer(reply, operation, result);
  if (operation.status === 204) return reply.code(204).send();
  reply.code(operation.status);
  if (operation.media) return reply.type(`${operation.media}; charset=utf-8`).send(result);
  reply.header('content-type', json);
  if (result instanceof JsonText) return reply.send(result.text);
  const shown = operation.isPaged ? itemsOf(result as Page<unknown>, input.query as PageQuery, reply) : result;
  if (isChecked && operation.response) checkResponse(operation.response, shown);
  return reply.send(JSON.stringify(shown));
}

function callOf(input: Input, { headers, caller }: FastifyRequest, { raw }: FastifyReply): AnyCall {
  return {
    ...input,
    headers,
    caller,
    get signal() {
      const gone = new AbortController();
      raw.once('close', () => {
        if (!raw.writableEnded) gone.abort();
      });
      return gone.signal;
    },
  };
}

const nothing = { params: undefined, query: undefined, body: undefined };

function itemsOf(page: Page<unknown>, query: PageQuery, reply: FastifyReply): readonly unknown[] {
  reply.header('content-range', contentRange(query, page.items.length, page.total));
  return page.items;
}

function sendAnswer(reply: FastifyReply, operation: Operation, { status, body, headers }: Answer): FastifyReply {
  reply.code(status).headers(headers);
  if (body === undefined) return reply.send();
  if (typeof body === 'string' && operation.media) {
    if (!reply.hasHeader('content-type')) reply.type(`${operation.media}; charset=utf-8`);
    return reply.send(body);
  }
  return reply.header('content-type', json).send(JSON.stringify(body));
}

function checkResponse(schema: z.ZodType, body: unknown): void {
  const result = schema.safeParse(JSON.parse(JSON.stringify(body)));
  if (!result.success) throw new Error(`the answer is not what the contract says: ${result.error.message}`);
}
