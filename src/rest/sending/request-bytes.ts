// How many bytes a request may hold until the size of its response is known (docs/decisions/0131).
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Operation } from '#contract/operation.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { maxBodyBytes } from '../read-body.ts';
import {
  type BytesAllowed,
  type BytesInFlight,
  createBytesInFlight,
  NoBytes,
  type Reservation,
} from './bytes-in-flight.ts';
import type { WaitingAllowed } from './pipelined-requests.ts';
import { createOpenResponses, type OpenResponses } from './open-responses.ts';

const mb = 1_048_576;

/** Of authenticated requests, by account. */
export const accountBytes: BytesAllowed = { each: 32 * mb, all: 128 * mb, spare: 32 * mb };
/** Of requests without authentication, by address. */
export const addressBytes: BytesAllowed = { each: 8 * mb, all: 32 * mb, spare: 8 * mb };

/** A page of a list before it is known: lists are cut at half of this size (`pageBytes` of the store). */
const listBytes = 8 * mb;
/** A single record, which may have a script or body of almost a megabyte. */
const recordBytes = mb;
/** A page or file without authentication, and one part of a download. */
const pageBytes = mb / 4;
/** A body up to this size is awaited before the response's bytes are reserved: many clients may send slowly. */
const smallBody = 16 * 1024;
/** What an event stream or a waiting call holds. */
const waitingBytes = 16 * 1024;

/** Bytes of this server's requests and responses. */
export type Sending = ReturnType<typeof createSending>;

/** A request whose bytes are counted. */
export interface RequestBytes {
  readonly operation: Operation;
  readonly headers: IncomingHttpHeaders;
  /** null = without authentication. */
  readonly accountId: string | null;
  readonly address: string;
}

/** Bytes that a request holds until its response is sent or its connection is closed. */
export interface Held {
  /** Takes what the response may need, once the body is read; null = at once. Refuses (429, 503) if there are none. */
  growForResponse(): Promise<void> | null;
  /** Takes more while the response is written; null = at once. Refuses (429, 503) if there are none. */
  grow(bytes: number): Promise<void> | null;
  /** Sets the size of the response once it is known. */
  set(bytes: number): void;
}

const nothing: Held = { set: () => undefined, grow: () => null, growForResponse: () => null };

/** Budgets of a process. Tests pass smaller ones. */
export interface SendingOptions {
  readonly accounts?: BytesAllowed;
  readonly addresses?: BytesAllowed;
  /** How long a client may read nothing, ms. */
  readonly stallMs?: number | undefined;
  /** How long a request waits for bytes, ms. */
  readonly waitMs?: number | undefined;
  /** Pipelined requests that may wait. */
  readonly waiting?: WaitingAllowed | undefined;
}

/** Creates the budgets of a server. */
export function createSending({
  accounts = accountBytes,
  addresses = addressBytes,
  stallMs = 10_000,
  waitMs,
}: SendingOptions) {
  const [ofAccounts, ofAddresses] = [createBytesInFlight(accounts, waitMs), createBytesInFlight(addresses, waitMs)];
  const open = createOpenResponses(stallMs);
  return {
    open,
    /** How long a client may read nothing while bytes wait for it, ms. */
    stallMs,
    /** Reserves bytes of messages to a client of an account. Rejects with `NoBytes` if there are none. */
    reserveMessages: (accountId: string, bytes: number): Reservation | Promise<Reservation> =>
      ofAccounts.reserve(accountId, bytes),
    /** Reserves the bytes of a request before its body and its rows are read. Refuses (429, 503) if there are none. */
    reserve({ operation, headers, accountId, address }: RequestBytes, response: ServerResponse) {
      const owner = accountId ?? address;
      if (holdsNothing(operation)) return nothing;
      const body = bodyBytes(operation, headers);
      const all = body + responseBytes(operation);
      const first = body > 0 && body <= 2 * smallBody ? body : all;
      const reserved = reserveOrRefuse(accountId === null ? ofAddresses : ofAccounts, owner, first, accountId !== null);
      return reserved instanceof Promise
        ? reserved.then((one) => held(one, all, response, open, accountId !== null))
        : held(reserved, all, response, open, accountId !== null);
    },
  };
}

function reserveOrRefuse(
  budget: BytesInFlight,
  owner: string,
  bytes: number,
  isAccount: boolean,
): Reservation | Promise<Reservation> {
  const reserved = budget.reserve(owner, bytes);
  return reserved instanceof Promise ? reserved.catch((error: unknown) => refuse(error, isAccount)) : reserved;
}

function held(
  reservation: Reservation,
  all: number,
  response: ServerResponse,
  open: OpenResponses,
  isAccount: boolean,
): Held {
  open.hold(response, () => reservation.release());
  const grow = (bytes: number): Promise<void> | null =>
    reservation.grow(bytes)?.catch((error: unknown) => refuse(error, isAccount)) ?? null;
  return { set: (bytes) => reservation.set(bytes), grow, growForResponse: () => grow(all) };
}

function refuse(error: unknown, isAccount: boolean): never {
  if (!(error instanceof NoBytes)) throw error;
  const headers = { 'retry-after': '2' };
  if (!error.isOwn) {
    throw new HttpRefusal(503, 'Too many responses are being sent. Try again later.', { headers });
  }
  const owner = isAccount ? 'this account' : 'this address';
  throw new HttpRefusal(
    429,
    `Too many bytes are being sent to ${owner}. Read the responses, or use a smaller limit, and try again.`,
    { headers },
  );
}

/** A body exists twice: as bytes or text, and parsed. */
function bodyBytes(operation: Operation, headers: IncomingHttpHeaders): number {
  const { body, maxBytesBody } = operation;
  if (body === undefined && maxBytesBody === undefined) return 0;
  const max = maxBytesBody ?? maxBodyBytes(operation);
  const length = headers['content-length'];
  const isKnown = length !== undefined && headers['content-encoding'] === undefined;
  const isEmpty = length === undefined && headers['transfer-encoding'] === undefined;
  if (isEmpty) return 0;
  return 2 * (isKnown ? Math.min(Number(length) || 0, max) : max);
}

/** Maximum size of the response, except of few that grow while they are written. */
function responseBytes(operation: Operation): number {
  const { method, tag, permission, acceptsToken, params, query, media, isPaged } = operation;
  if (media === 'text/event-stream' || (tag === 'Triggers' && isPaged !== true)) return waitingBytes;
  if (permission === 'none' || acceptsToken === true) return method === 'GET' ? pageBytes : waitingBytes;
  if (method !== 'GET') return recordBytes;
  const isList = params === undefined || (query !== undefined && 'limit' in query.shape);
  // Reports wait for each other for seconds, and are small.
  return isList && tag !== 'Analytics' ? listBytes : recordBytes;
}

/** Responses of a few bytes, and the documentation, whose bytes all responses share. */
function holdsNothing({ path, tag }: Operation): boolean {
  return path.startsWith('/ping/') || (tag === 'Health' && path !== '/metrics');
}
