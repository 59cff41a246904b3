// Maps thrown errors to the error body (decisions: Error body).
import { STATUS_CODES } from 'node:http';
import { Refusal, type RefusalCode } from '#actions/refusal.ts';
import type { ErrorBody } from '#contract/responses.ts';
import { LimitReachedError } from '#domain/accounts/account.ts';
import { InvalidMerge } from '#lib/schema/patch.ts';
import { HttpRefusal } from './http-refusal.ts';
import { faultsRefused } from './input.ts';

const statusOfRefusal: Readonly<Record<RefusalCode, number>> = {
  invalid: 400,
  unauthenticated: 401,
  limit: 402,
  forbidden: 403,
  'not-found': 404,
  timeout: 408,
  conflict: 409,
  changed: 412,
  'too-many': 429,
  unavailable: 503,
};

/** An error response. */
export interface ErrorAnswer {
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it is a bug, to be logged with all details. */
  readonly isInternal: boolean;
}

/** The error body: status, its reason phrase, and the message. */
export function errorBody(
  statusCode: number,
  message: string,
  attributes?: Readonly<Record<string, unknown>>,
): ErrorBody {
  const error = STATUS_CODES[statusCode] ?? 'Error';
  return attributes ? { statusCode, error, message, attributes: { ...attributes } } : { statusCode, error, message };
}

/** The response for an error thrown while handling a request. A 500 does not reveal its cause. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (error instanceof HttpRefusal) {
    return {
      body: errorBody(error.statusCode, error.message, error.attributes),
      headers: error.headers ?? {},
      isInternal: false,
    };
  }
  if (error instanceof InvalidMerge) return errorAnswer(faultsRefused(error.faults));
  if (error instanceof LimitReachedError) {
    const { message, limited, used, limit } = error;
    return { body: errorBody(402, message, { limited, used, limit }), headers: {}, isInternal: false };
  }
  if (error instanceof Refusal) {
    const wait = error.retryAfterSeconds;
    return {
      body: errorBody(statusOfRefusal[error.code], error.message, error.attributes),
      headers: wait === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(wait))) },
      isInternal: false,
    };
  }
  const known = frameworkMessage(error);
  if (known) return { body: errorBody(...known), headers: {}, isInternal: false };
  return {
    body: errorBody(500, 'Internal error. Tocsin logged it under the id in x-request-id.'),
    headers: {},
    isInternal: true,
  };
}

const frameworkMessages: Readonly<Record<string, readonly [number, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'Send the body as JSON, with content-type: application/json.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [400, 'The body length does not match content-length.'],
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'The body is too large.'],
  FST_ERR_BAD_URL: [400, 'The path has invalid percent-encoding.'],
  FST_ERR_MAX_PARAM_LENGTH: [414, 'A path segment is too long.'],
};

function frameworkMessage(error: unknown): readonly [number, string] | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  const known = frameworkMessages[error.code];
  if (known) return known;
  const status = 'statusCode' in error ? Number(error.statusCode) : 500;
  return error.code.startsWith('FST_ERR_') && status >= 400 && status < 500
    ? [status, STATUS_CODES[status] ?? 'Bad Request']
    : null;
}
