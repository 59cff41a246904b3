// An operation as data. Routes, validation, the OpenAPI document and the typed client are derived from it.
import type { z } from 'zod';

/**
 * Required permission. `any` = every caller, `user` = a signed-in person in any role; both include people who must set up
 * a second factor first. `none` = no authentication.
 */
export type OperationPermission = 'any' | 'read' | 'run' | 'write' | 'admin' | 'operate' | 'user' | 'none';

/** Tags that group the operations in the documentation. */
export const tags = [
  'Runtimes',
  'Accounts',
  'API keys',
  'People',
  'Sessions',
  'Checks',
  'Heartbeats',
  'Check groups',
  'Check results',
  'Overview',
  'Check statuses',
  'Badges',
  'Incidents',
  'Analytics',
  'Triggers',
  'Check sessions',
  'Test sessions',
  'Alert channels',
  'Deliveries',
  'Environment variables',
  'Projects',
  'Locations',
  'Client certificates',
  'Private locations',
  'Snippets',
  'Maintenance windows',
  'Status pages',
  'Notices',
  'Processes',
  'MCP',
  'Health',
] as const;
export type Tag = (typeof tags)[number];

/** One HTTP operation. Path parameters are in braces, as in OpenAPI. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: `/${string}`;
  /** A short imperative phrase. */
  readonly summary: string;
  /** What a caller must know beyond the schemas. */
  readonly description?: string;
  readonly tag: Tag;
  readonly permission: OperationPermission;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Query parameters without effect that the reference clients send. Other unknown parameters are rejected. */
  readonly ignoredQuery?: readonly string[];
  /** Absent = the operation ignores the body. */
  readonly body?: z.ZodType;
  /** Largest body in bytes, before and after decompression; absent = 1 MB. */
  readonly maxBody?: number;
  /** The body is JSON, whatever its content type. */
  readonly isAnyType?: boolean;
  /** Accepts a body of any type and stores up to this many bytes of it; replaces `body`. */
  readonly maxRawBody?: number;
  /** Accepts a body of any type and of at most this many bytes; replaces `body`. */
  readonly maxBytesBody?: number;
  /** Example body for the document. */
  readonly example?: unknown;
  /** Additional request headers: name → description. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Status of a successful response; absent = 200. */
  readonly status?: 201 | 202 | 204;
  /** Schema of the response body; absent with 204 and if `media` is not JSON. */
  readonly response?: z.ZodType;
  /** Media type of the response if it is not JSON. */
  readonly media?:
    | 'text/html'
    | 'text/plain'
    | 'text/csv'
    | 'text/css'
    | 'text/javascript'
    | 'text/event-stream'
    | 'image/svg+xml'
    | 'application/octet-stream';
  /** Additional statuses of this operation: status → description. */
  readonly alsoAnswers?: Readonly<Record<number, string>>;
  /** Its response is a record with an ETag; a PUT accepts `If-Match`. */
  readonly isRevised?: boolean;
  /** A request with the query parameter `token` needs no caller: the handler verifies the token. */
  readonly acceptsToken?: true;
  /** A paged list: takes `limit` and `page`, returns `content-range`. */
  readonly isPaged?: boolean;
  /** For a GET with side effects: HEAD gets 405. */
  readonly refusesHead?: boolean;
  /** May change without notice (`x-beta` in the document). */
  readonly isBeta?: boolean;
  readonly isDeprecated?: boolean;
  /** Only for the `checkly` command line: not part of the document, may change without notice. */
  readonly isPrivate?: boolean;
  /** Private, and answers requests of that command line in place of the public operation of the same path. */
  readonly isCliVariant?: boolean;
}

/** Operations by ID. */
export type Operations = Readonly<Record<string, Operation>>;
export type Untagged = Readonly<Record<string, Omit<Operation, 'tag'>>>;

/** Operations that the documentation lists under one tag. */
export function tagged<Listed extends Untagged>(
  tag: Tag,
  listed: Listed,
): { readonly [Id in keyof Listed]: Listed[Id] & { readonly tag: Tag } } {
  const entries = Object.entries(listed).map(([id, operation]) => [id, { ...operation, tag }]);
  return Object.fromEntries(entries) as { [Id in keyof Listed]: Listed[Id] & { tag: Tag } };
}

/** A ping or health: never refused, whatever else its address sends. */
export function isNeverRefused({ path }: Pick<Operation, 'path'>): boolean {
  return path.startsWith('/ping/') || path.startsWith('/health/');
}

/**
 * The permission that a request needs; null = none, or a token takes its place.
 * @param query before it is validated
 */
export function neededPermission(
  { permission, acceptsToken }: Operation,
  query: unknown,
): Exclude<OperationPermission, 'none'> | null {
  const { token } = (query ?? {}) as { readonly token?: unknown };
  const hasToken = acceptsToken === true && typeof token === 'string' && token !== '';
  return permission === 'none' || hasToken ? null : permission;
}
