// A request and its answer as scripts around them see them, and leave them (docs/decisions/0086).
import type { HeldUp } from '../results/honest-finding.ts';
import type { JsonObject } from '../json.ts';

/** One value, or several of one name. */
export type ScriptValues = Readonly<Record<string, string | readonly string[]>>;

/** What a script sees of the request of its check, and may change. */
export interface ScriptRequest {
  readonly method: string;
  /** Without the query parameters that stand apart. */
  readonly url: string;
  readonly headers: ScriptValues;
  readonly queryParameters: ScriptValues;
  readonly body: string;
}

/** What a script sees of the answer, and may change. */
export interface ScriptResponse {
  readonly status: number;
  readonly statusText: string;
  /** By their names in small letters. */
  readonly headers: ScriptValues;
  /** The body as text, its content-encoding taken off. */
  readonly body: string;
}

/** A request filled in, as scripts before it have left it: what is sent instead of what the settings say. */
export interface ScriptedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly queryParameters: readonly (readonly [name: string, value: string])[];
  /** The text of the body; its body type is that of the settings. */
  readonly body: string;
  /** Values that results must not show, beside those that are hidden anyway. */
  readonly hidden: readonly string[];
}

/** An answer on its way to the scripts after it. */
export interface SeenAnswer {
  readonly response: ScriptResponse;
  /** The body is longer than what was read of it. */
  readonly isCut: boolean;
  /** `timings` and `timingPhases` as results show them. */
  readonly times: JsonObject;
  /** Of the thread while it was fetched: what is judged by it may have to be withheld. */
  readonly heldUp: HeldUp;
}
