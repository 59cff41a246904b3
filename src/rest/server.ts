// The HTTP server: every operation of the contract mounted on the framework, with one shape for every refusal.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Operation, Operations } from '#contract/operation.ts';
import { createTurns } from '#lib/fair-queue.ts';
import type { Authenticate } from './authenticate.ts';
import { errorAnswer, errorBody } from './errors.ts';
import { HttpRefusal } from './http-refusal.ts';
import { type Ending, endIfClosing, mountRoute } from './mount.ts';
import { answerOddRequests, answerParserFault } from './parser-faults.ts';
import { createRateLimit } from './rate-limit.ts';
import type { MountedRoute, Route } from './route.ts';
import { methodsOf } from './methods-of.ts';

/** What this room needs of a log; pino fits. */
export interface RestLog {
  error(details: object, message: string): void;
}

/** What the server is made of. */
export interface RestOptions {
  readonly routes: readonly Route[];
  /** Of these routes; others are not looked at. */
  readonly operations: Operations;
  readonly authenticate: Authenticate;
  readonly log: RestLog;
  /** Requests a minute per key; 0 = off (decisions: Rate limit). */
  readonly rateLimit: number;
  /** Requests a minute per account, by all of its keys; 0 = off. */
  readonly accountRateLimit: number;
  /** Epoch ms. */
  readonly now: () => number;
  /** Whether an error means that this server cannot work for now: answered with 503 and not as a fault of ours. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Compare every answer with the contract; a difference is a 500. For tests and development. */
  readonly checkResponses?: boolean;
  /** How long a client may take, ms: for its headers, and for its whole request. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

/**
 * Makes the server, not yet listening: `await server.listen({ host, port })`, `await server.close()`.
 * `close` waits for requests under way and closes idle connections.
 */
export function createRestServer(options: RestOptions): FastifyInstance {
  const nextId = requestIds();
  const routes = options.routes.map((route) => mountedRoute(route, options.operations));
  const ending: Ending = { isClosing: false };
  const headersTimeout = options.headersTimeoutMs ?? 15_000;
  const app = fastify({
    logger: false,
    genReqId: nextId,
    requestIdHeader: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 72_000,
    requestTimeout: options.requestTimeoutMs ?? 30_000,
    routerOptions: { maxParamLength: 2000 },
    // Routes have no schemas of the framework's: its compilers, a hundred modules, are not loaded.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    http: {
      headersTimeout,
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(5000, Math.ceil(headersTimeout / 3)),
    },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply as FastifyReply, options),
    clientErrorHandler: (error, socket) => answerParserFault(error, socket, nextId()),
  });
  app.decorateRequest('caller', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done(addressFault(request));
  });
  finishAnswersBeforeClose(app, ending);
  app.setErrorHandler((error, request, reply) => sendError(error, request, endIfClosing(reply, ending), options));
  app.setNotFoundHandler((request, reply) => sendNotFound(request, endIfClosing(reply, ending), routes));
  app.removeAllContentTypeParsers();
  // Bodies are read by the route, once it is known who asks and whether the operation has one.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  const rateLimits = {
    keys: createRateLimit(options.rateLimit, 60_000, options.now),
    accounts: createRateLimit(options.accountRateLimit, 60_000, options.now),
    addresses: createRateLimit(options.rateLimit, 60_000, options.now),
  };
  // Whoever opens the bare address wants to know what is here. Relative: a proxy may serve it under a path of its own.
  if (routes.some(({ id }) => id === 'getDocs')) {
    app.get('/', (_request, reply) => reply.redirect('docs', 302));
  }
  const mounting = { ...options, rateLimits, turn: createTurns(), ending };
  for (const route of routes) mountRoute(app, route, mounting);
  answerOddRequests(app.server, nextId);
  return app;
}

/** Node.js counts a connection as idle once its answer was handed over, and would cut off what is not sent yet. */
function finishAnswersBeforeClose(app: FastifyInstance, ending: Ending): void {
  const sending = new Set<FastifyReply['raw']>();
  let onSent: (() => void) | null = null;
  app.addHook('onSend', (_request, { raw }, _payload, done) => {
    if (!raw.destroyed) {
      sending.add(raw);
      raw.once('close', () => {
        sending.delete(raw);
        if (sending.size === 0) onSent?.();
      });
    }
    done();
  });
  app.addHook('preClose', (done) => {
    ending.isClosing = true;
    // What becomes ready at this moment is handed over first.
    setImmediate(() => {
      if (sending.size === 0) done();
      else onSent = done;
    });
  });
}

function noCompiler(): never {
  throw new Error('the contract parses and writes bodies: a route has no schema of the framework');
}

function mountedRoute(route: Route, operations: Operations): MountedRoute {
  const operation = operations[route.id];
  if (operation === undefined) throw new Error(`there is no operation ${route.id}`);
  return { ...route, operation: { ...operation, ...strictQuery(operation) } };
}

/** Refuses unknown query parameters. Links that need no key say for themselves: tools add parameters of their own to some. */
function strictQuery({ query = z.object({}), permission }: Operation): Pick<Operation, 'query'> {
  return permission === 'none' ? {} : { query: query.strict() };
}

/** Ids that are unique over restarts and cheap: a random start, then a count. */
function requestIds(): () => string {
  const start = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}

function addressFault(request: FastifyRequest): HttpRefusal | undefined {
  if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
    return new HttpRefusal(400, 'The Host header is missing.');
  }
  if (hostsOf(request.raw.rawHeaders) > 1) return new HttpRefusal(400, 'The request has more than one Host header.');
  return request.url.includes('%00') ? new HttpRefusal(400, 'The URL contains the character U+0000.') : undefined;
}

/** Names and values in turn, as they were sent: a second Host is not seen in the joined headers. */
function hostsOf(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host')
    .length;
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, options: RestOptions): FastifyReply {
  const unavailable = options.isUnavailable(error);
  const { body, headers, isInternal } = unavailable
    ? {
        body: errorBody(503, 'The service is temporarily unavailable.'),
        headers: { 'retry-after': '5' },
        isInternal: true,
      }
    : errorAnswer(error);
  if (isInternal) {
    const route = request.routeOptions?.url;
    options.log.error({ err: error, requestId: request.id, method: request.method, route }, 'request.failed');
  }
  return reply
    .code(body.statusCode)
    .headers({ 'x-request-id': request.id, ...headers })
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body));
}

/** `GET, PUT or DELETE`. */
function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function sendNotFound(request: FastifyRequest, reply: FastifyReply, routes: readonly MountedRoute[]): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? '';
  const methods = methodsOf(path, routes);
  const body =
    methods.length > 0
      ? errorBody(405, `Method not allowed. Use ${listed(methods)}.`)
      : errorBody(404, 'Unknown path. See /docs for all operations.');
  if (methods.length > 0) reply.header('allow', methods.join(', '));
  return reply.code(body.statusCode).type('application/json; charset=utf-8').send(JSON.stringify(body));
}
