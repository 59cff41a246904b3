// A visit of a status page: what is asked, and what is answered.
import type { IncomingHttpHeaders } from 'node:http';

/** A request that may be a visit. */
export interface VisitRequest {
  readonly method: string;
  /** The request target. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Name under which the client asks, in lower case and without port; null = it is this server's own. */
  readonly foreignName: string | null;
  /** IP address of the client. */
  readonly address: string;
  /** Reads a small form; null = it is too large or not one. */
  readonly readForm: () => Promise<URLSearchParams | null>;
}

/** The response to a visit. */
export interface VisitResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}
