// A request and its response as setup and teardown scripts see and change them (docs/decisions/0086).
import type { ThreadDelay } from '../results/honest-finding.ts';
import type { JsonObject } from '../json.ts';

/** One value, or several for a repeated name. */
export type ScriptValues = Readonly<Record<string, string | readonly string[]>>;

/** The request as a script sees it and may change it. */
export interface ScriptRequest {
  readonly method: string;
  /** Without the separate query parameters. */
  readonly url: string;
  readonly headers: ScriptValues;
  readonly queryParameters: ScriptValues;
  readonly body: string;
}

/** The response as a script sees it and may change it. */
export interface ScriptResponse {
  readonly status: number;
  readonly statusText: string;
  /** By lower-case name. */
  readonly headers: ScriptValues;
  /** The body as text, decompressed. */
  readonly body: string;
}

/** A resolved request as changed by setup scripts; sent instead of the request in the settings. */
export interface ScriptedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly queryParameters: readonly (readonly [name: string, value: string])[];
  /** Text of the body; the settings define its type. */
  readonly body: string;
  /** Additional values to redact in results. */
  readonly hidden: readonly string[];
}

/** A response passed to teardown scripts. */
export interface SeenAnswer {
  readonly response: ScriptResponse;
  /** The body is longer than what was read. */
  readonly isCut: boolean;
  /** `timings` and `timingPhases` as in results. */
  readonly times: JsonObject;
  /** Delay of the thread during the request, which may make the verdict unreliable. */
  readonly threadDelay: ThreadDelay;
}
