// A typed client over fetch: every operation by its id, paths, queries and answers checked by the compiler.
import { errorBody } from './error.ts';
import {
  type AnswerOf,
  type BodyOf,
  operationOf,
  type OperationId,
  type operations,
  type PagedId,
} from './operations.ts';
import { totalOf } from './paging.ts';

/** Thrown for every answer that is not a success. */
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
  /** Where the service is, like http://127.0.0.1:3000. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** The account to act on; absent = the key's first. */
  readonly accountId?: string;
  readonly fetch?: typeof fetch;
}

type QueryValue = string | number | boolean | readonly string[];

/** Path parameters and query as they are spelled, the body as the operation wants it. */
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

type Rest<Id extends OperationId> = object extends Request<Id> ? [request?: Request<Id>] : [request: Request<Id>];

export interface Client {
  /** Calls an operation. Rejects with ServiceError for a refusal; as fetch does when nothing answers. */
  call<Id extends OperationId>(id: Id, ...rest: Rest<Id>): Promise<AnswerOf<Id>>;
  /** Calls a paged list, and says how many items there are on all pages. */
  page<Id extends PagedId>(id: Id, ...rest: Rest<Id>): Promise<{ items: AnswerOf<Id>; total: number }>;
}

export function createClient(options: ClientOptions): Client {
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
      return { answer: new Uint8Array(await response.arrayBuffer()), total: null };
    const text = await response.text();
    if (!response.ok) throw serviceError(response, text);
    const answer: unknown = text === '' ? undefined : operation.media ? text : JSON.parse(text);
    return { answer, total: totalOf(response.headers.get('content-range')) };
  };
  return {
    // The operation's own response schema describes what comes back.
    call: async (id, ...[request]) => (await send(id, request)).answer as never,
    page: async (id, ...[request]) => {
      const { answer, total } = await send(id, request);
      return { items: answer as never, total: total ?? (answer as readonly unknown[]).length };
    },
  };
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
    const { message, attributes } = errorBody.parse(JSON.parse(text));
    return new ServiceError(response.status, message, attributes ?? {}, requestId);
  } catch {
    // Something between us and the service answered in a shape of its own.
    return new ServiceError(response.status, `HTTP ${response.status} ${response.statusText}`.trim(), {}, requestId);
  }
}
