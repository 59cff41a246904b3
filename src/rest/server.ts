// The HTTP server: mounts every operation of the contract on the framework, with one format for all errors.
import type { Socket } from 'node:net';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Operation, Operations } from '#contract/operation.ts';
import { createFairQueue } from '#lib/fair-queue.ts';
import type { AuditOption } from './audited-calls.ts';
import { createAddressLimit } from './address-limit.ts';
import type { Authenticate } from './authenticate.ts';
import { type ConnectionLimits, shareConnections } from './connections.ts';
import { errorAnswer, errorBody } from './errors.ts';
import { foreignHost, foreignHostMessage, foreignHostPage, otherName, type OwnHosts } from './hosts.ts';
import { pageHeaders } from './html.ts';
import { HttpRefusal } from './http-refusal.ts';
import { type Ending, endIfClosing, mountRoute, requireOpenPage, type SessionsOption } from './mount.ts';
import { answerOddRequests, answerParserFault } from './parser-faults.ts';
import { isMqttUpgrade, type MqttOptions, serveMqtt } from './mqtt/serve-mqtt.ts';
import { createRateLimit } from './rate-limit.ts';
import type { MountedRoute, Route } from './route.ts';
import { createMethodsOf, type MethodsOf } from './methods-of.ts';
import { answerInTurn } from './sending/pipelined-requests.ts';
import { createSending, type Sending, type SendingOptions } from './sending/request-bytes.ts';
import { readForm } from './status-pages/read-form.ts';
import type { Visits } from './status-pages/visits.ts';
import { cliSource, isOfCli } from './vendor/cli-requests.ts';
import { refusedPath } from './vendor/refused.ts';
import type { WebFiles } from './web-files.ts';

/** A page of the web UI loads many files, and many people may share an address. */
const openPagesShare = 10;

/** The logger interface; pino implements it. */
export interface RestLog {
  error(details: object, message: string): void;
}

export interface RestOptions {
  readonly routes: readonly Route[];
  /** Query parameters of these routes are checked. */
  readonly operations: Operations;
  readonly authenticate: Authenticate;
  /** Looks up sessions of people; absent = only API keys are accepted. */
  readonly sessions?: SessionsOption;
  readonly log: RestLog;
  /** Requests per minute and key or person; 0 = unlimited (decisions: Rate limit). */
  readonly rateLimit: number;
  /** Requests per minute and account, for all its keys; 0 = unlimited. */
  readonly accountRateLimit: number;
  /** Networks (`10.0.0.0/8`) of proxies whose X-Forwarded-For names the client. */
  readonly trustedProxies?: readonly string[];
  /** Names under which requests are answered; absent = any. */
  readonly hosts?: OwnHosts;
  /** Epoch ms. */
  readonly now: () => number;
  /** Whether an error means that the server is temporarily unavailable: 503 instead of 500. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Validate every response against the contract; a mismatch is a 500. For tests and development. */
  readonly checkResponses?: boolean;
  /** What adds entries to the audit log; absent = nothing does, for servers without a store. */
  readonly audit?: AuditOption;
  /** Status pages, which are answered before everything else; absent = none are served. */
  readonly visits?: Visits;
  /** The web UI; absent = none is served. */
  readonly webFiles?: WebFiles;
  /** How long a client may take to send its headers and its whole request, ms. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  /** How long a client may stop reading a response while the server closes, ms. */
  readonly closingStallMs?: number;
  /** Bytes that requests and responses may hold. */
  readonly sending?: SendingOptions;
  /** Messages about test sessions over MQTT; absent = none are served. */
  readonly mqtt?: MqttOptions;
  /** Absent = connections are unlimited. */
  readonly connections?: Omit<ConnectionLimits, 'proxies'>;
}

/**
 * Creates the server without opening it: `await server.listen({ host, port })`, `await server.close()`. `close` waits
 * for requests in progress and closes idle connections.
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
    ...(options.trustedProxies?.length && { trustProxy: [...options.trustedProxies] }),
    bodyLimit: Number.MAX_SAFE_INTEGER,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    keepAliveTimeout: 72_000,
    requestTimeout: options.requestTimeoutMs ?? 30_000,
    routerOptions: { maxParamLength: 2000, constraints: { source: cliSource } },
    // Routes have no framework schemas, so its compilers, a hundred modules, are not loaded.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    http: {
      headersTimeout,
      shouldUpgradeCallback: (request) => options.mqtt !== undefined && !ending.isClosing && isMqttUpgrade(request),
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(5000, Math.ceil(headersTimeout / 3)),
    },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply as FastifyReply, options),
    clientErrorHandler: (error, socket) => answerParserFault(error, socket, nextId()),
  });
  answerInTurn(app.server, options.sending?.waiting);
  app.decorateRequest('caller', undefined);
  admitRequests(app, options, ending);
  const sending = createSending(options.sending ?? {});
  finishAnswersBeforeClose(app, ending, sending, options.closingStallMs ?? 3000);
  closeUnusedConnections(app);
  app.setErrorHandler((error, request, reply) => sendError(error, request, endIfClosing(reply, ending), options));
  const rateLimits = {
    keys: createRateLimit(options.rateLimit, 60_000, options.now),
    accounts: createRateLimit(options.accountRateLimit, 60_000, options.now),
    addresses: createAddressLimit(options.rateLimit, options.now),
    openPages: createAddressLimit(options.rateLimit * openPagesShare, options.now),
  };
  const methodsOf = createMethodsOf(routes);
  app.setNotFoundHandler((request, reply) => {
    requireOpenPage(request, rateLimits);
    return sendNotFound(request, endIfClosing(reply, ending), methodsOf, options.webFiles);
  });
  readNoBodies(app);
  const connections = options.connections
    ? shareConnections(app.server, { ...options.connections, proxies: options.trustedProxies ?? [] })
    : undefined;
  const mounting = { ...options, rateLimits, fairQueue: createFairQueue(), sending, ending, connections };
  for (const route of routes) mountRoute(app, route, mounting);
  if (options.mqtt !== undefined) mountMqtt(app, options.mqtt, mounting);
  answerOddRequests(app.server, nextId);
  return app;
}

/** Answers visits of status pages, and refuses what is sent to no address of this server. */
function admitRequests(app: FastifyInstance, options: RestOptions, ending: Ending): void {
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    const fault = addressFault(request);
    if (fault === undefined && options.visits && answersVisit(options, options.visits, request, reply)) return;
    const foreign = fault === undefined && options.hosts ? foreignHostOf(request, options.hosts) : null;
    if (foreign === null) done(fault);
    else sendMisdirected(request, endIfClosing(reply, ending), foreign);
  });
}

function setCommonHeaders({ id, headers }: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', id).header('x-content-type-options', 'nosniff');
  if (isOfCli(headers)) reply.header('connection', 'close');
}

/** Routes read bodies themselves, after authentication and only if the operation has one. */
function readNoBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
}

/** Serves MQTT until the server closes. Connecting takes one from the same allowances as a request. */
function mountMqtt(
  app: FastifyInstance,
  mqtt: MqttOptions,
  { rateLimits: { keys, addresses }, ...mounting }: Parameters<typeof mountRoute>[2],
): void {
  const close = serveMqtt(app.server, {
    ...mqtt,
    ...mounting,
    connections: mounting.connections,
    isAllowed: (of) => ('keyId' in of ? keys.take(of.keyId) : addresses.take(of.address))?.isAllowed !== false,
  });
  app.addHook('preClose', (done) => {
    close();
    done();
  });
}

/**
 * Node.js treats a connection as idle once its response was handed over, and would cut off unsent data. A client that
 * does not read would delay closing forever.
 */
function finishAnswersBeforeClose(app: FastifyInstance, ending: Ending, { open }: Sending, stallMs: number): void {
  const sending = new Set<FastifyReply['raw']>();
  let onSent: (() => void) | null = null;
  const endIfStalled = (raw: FastifyReply['raw']): void => void raw.setTimeout(stallMs, () => raw.destroy());
  app.addHook('onSend', (_request, { raw }, _payload, done) => {
    if (!raw.destroyed) {
      open.watch(raw);
      sending.add(raw);
      if (ending.isClosing) endIfStalled(raw);
      raw.once('close', () => {
        sending.delete(raw);
        if (sending.size === 0) onSent?.();
      });
    }
    done();
  });
  app.addHook('preClose', (done) => {
    ending.isClosing = true;
    for (const raw of sending) endIfStalled(raw);
    // Lets data that becomes ready at this moment be sent first.
    setImmediate(() => {
      if (sending.size === 0) done();
      else onSent = done;
    });
  });
}

/** How long a connection without a request may stay open once the server closes, ms. */
const unusedMs = 1000;

/** Node.js would wait for connections that have not sent a whole request. */
function closeUnusedConnections(app: FastifyInstance): void {
  const requests = new Map<Socket, number>();
  app.server.on('connection', (socket) => {
    requests.set(socket, 0);
    socket.once('close', () => requests.delete(socket));
  });
  const count = (socket: Socket, by: number): void => {
    const present = requests.get(socket);
    if (present !== undefined) requests.set(socket, present + by);
  };
  app.server.prependListener('request', ({ socket }, response) => {
    count(socket, 1);
    response.once('close', () => count(socket, -1));
  });
  app.addHook('preClose', (done) => {
    setTimeout(() => {
      for (const [socket, open] of requests) if (open === 0 && socket.writableLength === 0) socket.destroy();
    }, unusedMs).unref();
    done();
  });
}

function noCompiler(): never {
  throw new Error('the contract parses and serializes bodies; a route must not have a framework schema');
}

function mountedRoute(route: Route, operations: Operations): MountedRoute {
  const operation = operations[route.id];
  if (operation === undefined) throw new Error(`there is no operation ${route.id}`);
  return { ...route, operation: { ...operation, ...strictQuery(operation) } };
}

/** Refuses unknown query parameters. Links without a key may opt out, because tools add parameters. */
function strictQuery({ query = z.object({}), permission, acceptsToken }: Operation): Pick<Operation, 'query'> {
  return permission === 'none' || acceptsToken === true ? {} : { query: query.strict() };
}

/** Cheap IDs that are unique across restarts: a random prefix and a counter. */
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

function foreignHostOf(request: FastifyRequest, hosts: OwnHosts): string | null {
  const { headers, raw, host, is404, routeOptions } = request;
  // The framework takes the header over from trusted proxies alone.
  const isForwarded = headers['x-forwarded-host'] !== undefined && host !== (headers.host ?? '');
  const isOpen = !is404 && !('verifiesKey' in routeOptions.config && routeOptions.config.verifiesKey === true);
  return foreignHost({ headers, target: raw.url ?? '', isForwarded, isOpen }, hosts);
}

/** Answers a visit of a status page; false = the request is none. */
function answersVisit(options: RestOptions, visits: Visits, request: FastifyRequest, reply: FastifyReply): boolean {
  const { method, headers, raw, host, ip: address } = request;
  const foreignName = options.hosts === undefined ? null : otherName(host, options.hosts);
  const target = raw.url ?? '';
  const answer = visits({ method, headers, target, foreignName, address, readForm: () => readForm(raw) });
  if (answer === null) return false;
  void Promise.resolve(answer).then(
    ({ status, headers: sent, body }) => void reply.code(status).headers(sent).send(body),
    (error: unknown) => void sendError(error, request, reply, options),
  );
  return true;
}

function sendMisdirected({ headers }: FastifyRequest, reply: FastifyReply, name: string): void {
  reply.code(421);
  if (headers.accept?.includes('text/html')) void reply.headers(pageHeaders).send(foreignHostPage(name));
  else {
    const body = errorBody(421, foreignHostMessage(name));
    void reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
  }
}

/** Raw names and values, because a second Host is not visible in the joined headers. */
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

function sendNotFound(
  request: FastifyRequest,
  reply: FastifyReply,
  methodsOf: MethodsOf,
  webFiles: WebFiles | undefined,
): FastifyReply {
  const path = request.url.split('?', 1)[0] ?? '';
  const methods = methodsOf(path);
  if (methods.length === 0 && (request.method === 'GET' || request.method === 'HEAD')) {
    const { accept = '', 'accept-encoding': encoding = '' } = request.headers;
    const file = webFiles?.find(path, { type: accept, encoding }) ?? null;
    if (file !== null) return reply.code(file.status).headers(file.headers).send(file.body);
  }
  const body =
    methods.length > 0
      ? errorBody(405, `Method not allowed. Use ${listed(methods)}.`)
      : errorBody(404, refusedPath(path) ?? 'Unknown path. See /docs for all operations.');
  if (methods.length > 0) reply.header('allow', methods.join(', '));
  return reply.code(body.statusCode).type('application/json; charset=utf-8').send(JSON.stringify(body));
}
