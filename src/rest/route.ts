// Joins an operation with its handler: parse, call the action, map the result to the wire.
import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '#contract/operation.ts';
import type { AnswerOf, InputOf, OperationId, operations, PagedId } from '#contract/operations.ts';
import type { PageQuery } from '#contract/paging.ts';
import type { Caller } from '#domain/accounts/api-key.ts';

/** Headers by name; a list for a header that is repeated. */
type AnswerHeaders = Readonly<Record<string, string | string[]>>;

/** A response that differs from the operation's declaration: another status, media type, or additional headers. */
export class Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: AnswerHeaders;

  constructor(status: number, body: unknown, headers: AnswerHeaders = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Total number of items. */
  readonly total: number;
}

/**
 * Serialized JSON, sent as it is, so that a hot list is not serialized for every request. Pass megabytes as bytes,
 * which saves encoding the text.
 */
export class JsonText {
  readonly text: string | Buffer;

  constructor(text: string | Buffer) {
    this.text = text;
  }
}

type Declared<Id extends OperationId> = (typeof operations)[Id];

/** The caller of an operation: none without authentication, and perhaps none if it accepts tokens. */
type CallerOf<Id extends OperationId> = Declared<Id>['permission'] extends 'none'
  ? unknown
  : { readonly caller: Declared<Id> extends { readonly acceptsToken: true } ? Caller | undefined : Caller };

/** Input of a handler. */
export type Call<Id extends OperationId> = InputOf<Id> &
  Pick<AnyCall, 'headers' | 'method' | 'address' | 'requestId' | 'rawBody' | 'bytes' | 'signal' | 'isStillAllowed'> &
  CallerOf<Id>;

type Items<Answered> = Answered extends readonly (infer Item)[] ? Item : never;

/** What a handler may return. */
export type ResultOf<Id extends OperationId> =
  | Answer
  | JsonText
  | (Id extends PagedId ? Page<Items<AnswerOf<Id>>> : AnswerOf<Id> extends undefined ? string | void : AnswerOf<Id>);

/** A handler with its types erased. */
export interface Route {
  readonly id: OperationId;
  readonly run: (call: AnyCall) => unknown;
  /**
   * Whether an Authorization header proves that no page under a foreign host name sent the request. Default: if the
   * operation requires a permission. Set it if the handler of another operation verifies the header itself.
   */
  readonly verifiesKey?: boolean;
}

/** A handler with the operation it implements. */
export interface MountedRoute extends Route {
  readonly operation: Operation;
}

/** A call whose parts were parsed by the operation's schemas. */
export interface AnyCall {
  readonly caller: Caller | undefined;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /** The method as sent, including HEAD. */
  readonly method: string;
  /** IP address of the client. */
  readonly address: string;
  /** The `x-request-id` of the response. */
  readonly requestId: string;
  /** For operations that take any body: its first part as text; null = no body. */
  readonly rawBody: string | null;
  /** For operations that take bytes: the body; otherwise empty. */
  readonly bytes: Buffer;
  /** Aborts if the client disconnects before the response. Created on first use. */
  readonly signal: AbortSignal;
  /** Whether the key, its accounts and its role still allow this operation; for long responses. */
  readonly isStillAllowed: () => Promise<boolean>;
}

/** Joins an operation with its handler; the compiler checks both against the contract. */
export function route<Id extends OperationId>(
  id: Id,
  run: (call: Call<Id>) => ResultOf<Id> | Promise<ResultOf<Id>>,
): Route {
  // The server parses with the operation's schemas before the call, which makes this cast safe.
  return { id, run: run as (call: AnyCall) => unknown };
}

/** Offset and size of a page, as stores expect them. */
export function sliceOf(query: PageQuery): { readonly limit: number; readonly offset: number } {
  return { limit: query.limit, offset: (query.page - 1) * query.limit };
}

/** A page of rows, each mapped to the wire. */
export function pageOf<Row, Item>(
  found: { readonly rows: readonly Row[]; readonly total: number },
  toWire: (row: Row) => Item,
): Page<Item> {
  return { items: found.rows.map((row) => toWire(row)), total: found.total };
}
