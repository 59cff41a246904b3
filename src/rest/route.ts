// One operation joined with what answers it: parse, call the action, map what it gives to the wire.
import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '#contract/operation.ts';
import type { AnswerOf, InputOf, OperationId, operations, PagedId } from '#contract/operations.ts';
import type { PageQuery } from '#contract/paging.ts';
import type { Caller } from '#domain/accounts/api-key.ts';

/** An answer that differs from what the operation declares: another status, another media type, more headers. */
export class Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Items of all pages together. */
  readonly total: number;
}

/**
 * JSON that was written before: sent as it is, so that a hot list is not serialised for every request. Megabytes are
 * better given as bytes: to turn a text into them costs as much as the rest of its answer.
 */
export class JsonText {
  readonly text: string | Buffer;

  constructor(text: string | Buffer) {
    this.text = text;
  }
}

type IsOpen<Id extends OperationId> = (typeof operations)[Id]['permission'] extends 'none' ? true : false;

/** What a route is called with. There is no caller where no key is asked for. */
export type Call<Id extends OperationId> = InputOf<Id> &
  Pick<AnyCall, 'headers' | 'method' | 'rawBody' | 'signal'> &
  (IsOpen<Id> extends true ? unknown : { readonly caller: Caller });

type Items<Answered> = Answered extends readonly (infer Item)[] ? Item : never;

/** What a route may give back. */
export type ResultOf<Id extends OperationId> =
  | Answer
  | JsonText
  | (Id extends PagedId ? Page<Items<AnswerOf<Id>>> : AnswerOf<Id> extends undefined ? string | void : AnswerOf<Id>);

/** A route, its types checked and forgotten. */
export interface Route {
  readonly id: OperationId;
  readonly run: (call: AnyCall) => unknown;
}

/** A route with the operation that it answers. */
export interface MountedRoute extends Route {
  readonly operation: Operation;
}

/** A call whose parts have been parsed by the operation's own schemas. */
export interface AnyCall {
  readonly caller: Caller | undefined;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /** As it was sent: HEAD where it was. */
  readonly method: string;
  /** Of operations that take any body: its beginning as text; null = there was none. */
  readonly rawBody: string | null;
  /** Aborts when the caller goes away before it was answered: for those who wait. Made when it is first asked for. */
  readonly signal: AbortSignal;
}

/** Joins an operation with its function; the compiler checks both ends against the contract. */
export function route<Id extends OperationId>(
  id: Id,
  run: (call: Call<Id>) => ResultOf<Id> | Promise<ResultOf<Id>>,
): Route {
  // The server parses with the operation's own schemas before it calls: that is what makes this cast true.
  return { id, run: run as (call: AnyCall) => unknown };
}

/** Where a page begins, as stores count. */
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
