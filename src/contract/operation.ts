// What an operation is, as data: routes, validation, the OpenAPI document and the typed client are all driven from it.
import type { z } from 'zod';

/** What the caller's key must allow; `none` = no key is asked for. */
export type OperationPermission = 'read' | 'run' | 'write' | 'admin' | 'operate' | 'none';

/** The headings under which operations are read. */
export const tags = [
  'Runtimes',
  'Accounts',
  'API keys',
  'Checks',
  'Heartbeats',
  'Check groups',
  'Check results',
  'Check statuses',
  'Analytics',
  'Triggers',
  'Alert channels',
  'Deliveries',
  'Environment variables',
  'Locations',
  'Client certificates',
  'Maintenance windows',
  'Notices',
  'Processes',
  'Health',
] as const;
export type Tag = (typeof tags)[number];

/** One HTTP operation. The path holds its parameters in braces, as OpenAPI writes them. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: `/${string}`;
  /** A few words, in the imperative. */
  readonly summary: string;
  /** Sentences on what a caller must know beyond the schemas. */
  readonly description?: string;
  readonly tag: Tag;
  readonly permission: OperationPermission;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Query parameters that the reference clients send, without effect; all other unknown ones are refused. */
  readonly ignoredQuery?: readonly string[];
  /** Absent = the operation takes no body, and ignores one. */
  readonly body?: z.ZodType;
  /** The body is JSON, whatever its content type says. */
  readonly isAnyType?: boolean;
  /** Takes any body and keeps so many bytes of it at most; instead of `body`. */
  readonly rawBodyMost?: number;
  /** An example of the body, shown in the document. */
  readonly example?: unknown;
  /** Further request headers: name → meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the answer that is hoped for. */
  readonly status: 200 | 201 | 202 | 204;
  /** What the answer's body looks like; absent with 204 and where `media` is not JSON. */
  readonly response?: z.ZodType;
  /** Media type of the answer where it is not JSON. */
  readonly media?: 'text/html' | 'text/plain' | 'text/css' | 'text/javascript' | 'application/octet-stream';
  /** Further statuses this operation answers with, beyond those of every operation: status → when. */
  readonly alsoAnswers?: Readonly<Record<number, string>>;
  /** A list that is read page by page: takes `limit` and `page`, answers with `content-range`. */
  readonly isPaged?: boolean;
  /** Of a GET that starts something: HEAD, which only asks, is refused there with 405. */
  readonly refusesHead?: boolean;
  /** May change without notice (`x-beta` in the document). */
  readonly isBeta?: boolean;
  readonly isDeprecated?: boolean;
}

/** Operations by their id. */
export type Operations = Readonly<Record<string, Operation>>;
