// Calls operations with fetch, typed by the contract. Loads no schemas, so that the web UI can use it.
import type { ErrorBody } from './responses.ts';
import type { Operation } from './operation.ts';
import type { AnswerOf, BodyOf, OperationId, operations, PagedId } from './operations.ts';
import type { PageQuery } from './paging.ts';

/** Thrown for every response that is not a success. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly statusCode: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly requestId: string | null;

  constructor(
    statusCode: number,
    message: string,
    attributes: Readonly<Record<string, unknown>>,
    requestId: string | null,
  ) {
    super(message);
    this.statusCode = statusCode;
    this.attributes = attributes;
    this.requestId = requestId;
  }
}

export interface ClientOptions {
  /** Base URL of the service, such as http://127.0.0.1:3000. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** The account to act on. Default: the key's first. */
  readonly accountId?: string;
  readonly fetch?: typeof fetch;
}

/** The parts of an operation that a call needs. */
export type CalledOperation = Pick<Operation, 'method' | 'path' | 'media'>;

type QueryValue = string | number | boolean | readonly string[];

/** Path parameters and query in their wire form, and the body as the operation expects it. */
export type Request<Id extends OperationId> = {
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
} & ((typeof operations)[Id] extends { readonly params: unknown }
  ? { readonly params: Readonly<Record<PathNames<(typeof operations)[Id]['path']>, string | number>> }
  : unknown) &
  (undefined extends BodyOf<Id> ? { readonly body?: BodyOf<Id> } : { readonly body: BodyOf<Id> });

type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

/** The arguments of a call after the operation: none are needed if nothing in the request is required. */
export type Rest<Id extends OperationId> =
  object extends Request<Id> ? [request?: Request<Id>] : [request: Request<Id>];

export interface Client {
  /**
   * Calls an operation. Rejects with ServiceError for an error response, and with fetch's error if there is no
   * response.
   */
  call<Id extends OperationId>(id: Id, ...rest: Rest<Id>): Promise<AnswerOf<Id>>;
  /** The same, with the headers of the response. */
  callWithHeaders<Id extends OperationId>(
    id: Id,
    ...rest: Rest<Id>
  ): Promise<{ answer: AnswerOf<Id>; headers: Headers }>;
  /** Calls a paged list and returns the total number of items, and what to request next; null = the last page. */
  page<Id extends PagedId>(
    id: Id,
    ...rest: Rest<Id>
  ): Promise<{ items: AnswerOf<Id>; total: number; next: PageQuery | null }>;
}

export function createCaller(operationOf: (id: OperationId) => CalledOperation, options: ClientOptions): Client {
  const send = async (id: OperationId, request: Partial<Request<OperationId>> & { params?: object } = {}) => {
    const operation = operationOf(id);
    const url = addressOf(options.baseUrl, operation.path, request);
    const response = await (options.fetch ?? fetch)(url, {
      method: operation.method,
      headers: {
        ...(options.apiKey !== undefined && { authorization: `Bearer ${options.apiKey}` }),
        ...(options.accountId !== undefined && { 'x-service-account': options.accountId }),
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      ...(request.signal && { signal: request.signal }),
    });
    if (response.ok && operation.media === 'application/octet-stream')
      return { answer: new Uint8Array(await response.arrayBuffer()), headers: response.headers };
    if (response.ok && operation.media === 'text/event-stream') {
      return { answer: response.body, headers: response.headers };
    }
    const text = await response.text();
    if (!response.ok) throw serviceError(response, text);
    const answer: unknown = text === '' ? undefined : operation.media ? text : JSON.parse(text);
    return { answer, headers: response.headers };
  };
  return {
    // The operation's response schema describes the type.
    call: async (id, ...[request]) => (await send(id, request)).answer as never,
    callWithHeaders: async (id, ...[request]) => (await send(id, request)) as never,
    page: async (id, ...[request]) => {
      const { answer, headers } = await send(id, request);
      const total = parseTotal(headers.get('content-range')) ?? (answer as readonly unknown[]).length;
      return { items: answer as never, total, next: parseNext(headers.get('link')) };
    },
  };
}

/** The page that a `link` header names. */
function parseNext(link: string | null): PageQuery | null {
  const search = /^<[^?>]*\?([^>]*)>; rel="next"$/.exec(link ?? '')?.[1];
  if (search === undefined) return null;
  const query = new URLSearchParams(search);
  return { limit: Number(query.get('limit')), page: Number(query.get('page')) };
}

function addressOf(baseUrl: string, path: string, request: { params?: object; query?: object }): URL {
  const params = new Map(Object.entries(request.params ?? {}));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params.get(name) ?? '')));
  const url = new URL(baseUrl.replace(/\/$/, '') + filled);
  for (const [name, value] of Object.entries(request.query ?? {}) as [string, QueryValue][]) {
    for (const each of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(each));
  }
  return url;
}

function serviceError(response: Response, text: string): ServiceError {
  const requestId = response.headers.get('x-request-id');
  try {
    const { message, attributes } = JSON.parse(text) as Partial<ErrorBody>;
    if (typeof message === 'string') return new ServiceError(response.status, message, attributes ?? {}, requestId);
  } catch {
    // Not JSON: the response is from a proxy in between.
  }
  return new ServiceError(response.status, `HTTP ${response.status} ${response.statusText}`.trim(), {}, requestId);
}

/** The total in `content-range`, or null if there is none. */
function parseTotal(contentRange: string | null): number | null {
  const match = /\/(\d+)$/.exec(contentRange ?? '');
  return match ? Number(match[1]) : null;
}
