// An HTTP answer as assertions look at it.
import type { IncomingHttpHeaders } from 'node:http';
import type { JsonValue } from '#domain/json.ts';
import type { Observed } from '../assertions/compare.ts';
import type { Look } from '../assertions/evaluate.ts';

/** The parts of an answer that assertions are about. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly responseTimeMs: number;
  /** Decoded; called only when an assertion needs it. */
  readonly text: () => string;
}

/** Looks at an answer. */
export function lookAt(answer: Answer): Look {
  return (source, property) => {
    if (source === 'STATUS_CODE') return answer.status;
    if (source === 'RESPONSE_TIME') return answer.responseTimeMs;
    if (source === 'HEADERS') return headerValue(answer.headers, property);
    return source === 'JSON_BODY' ? (JSON.parse(answer.text()) as JsonValue) : answer.text();
  };
}

function headerValue(headers: IncomingHttpHeaders, name: string): Observed {
  if (name === '') return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, joined(value) ?? '']));
  return joined(Object.hasOwn(headers, name.toLowerCase()) ? headers[name.toLowerCase()] : undefined);
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
