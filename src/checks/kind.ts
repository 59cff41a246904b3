// What every kind of check gives, and what it is given: kinds know this file, and nothing of each other.
import type { Socket } from 'node:net';
import type { Check } from '#domain/check.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Probe } from '#domain/probe.ts';
import type { Result } from '#domain/result.ts';

/** Where requests may go, as the kinds need it. */
export interface EgressGuard {
  /** All addresses of a name, each judged; fails with the resolver's code, or `EGRESS_REFUSED`. 0 = both families. */
  resolve(hostname: string, family: 0 | 4 | 6): Promise<readonly string[]>;
  /** null = allowed; otherwise a sentence that says what would allow it. */
  judge(address: string): string | null;
  /** Makes connections instead, where a proxy is configured; answers with how to give up. */
  readonly tunnel?:
    | ((
        target: { readonly host: string; readonly port: number },
        done: (error: Error | null, socket: Socket | null) => void,
      ) => () => void)
    | null;
}

/** What a probe is made with. */
export interface ProbeMeans {
  readonly guard: EgressGuard;
  /** Of Tocsin, for the user agent. */
  readonly version: string;
  /** No probe takes longer, ms (reference §4.3: 30 s). */
  readonly limitMs?: number;
  /** Certificates (PEM) trusted besides Node's own. */
  readonly extraCertificates?: readonly string[];
}

/** One thing wrong with the settings of a check: where it stands, as `request.url`, and what would be right. */
export interface SettingsProblem {
  readonly path: string;
  readonly message: string;
}

/** What an alert tells of a result (spec §6.2: CHECK_URL, API_CHECK_RESPONSE_*). */
export interface KindFacts {
  readonly url: string | null;
  readonly status: number | null;
  readonly statusText: string | null;
}

/** A kind of check. */
export interface CheckKind {
  /** null = it is not probed: it waits to be called. */
  readonly createProbe: ((means: ProbeMeans) => Probe) | null;
  /** What the wire schema cannot say; empty = fine. */
  validateSettings(settings: JsonObject): SettingsProblem[];
  /** The part of a check-result that belongs to the kind, as `{apiCheckResult: …}` (reference §4.7). */
  describeResult(result: Pick<Result, 'details' | 'message' | 'reason'>, exchange: JsonObject | null): JsonObject;
  alertFacts(check: Pick<Check, 'settings'>, details: JsonValue): KindFacts;
}
