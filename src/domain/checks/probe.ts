// Interface between the pipeline and the kinds of checks.
import type { Check } from './check.ts';
import type { ClientIdentity } from '../accounts/client-certificate.ts';
import type { CheckGroup } from './check-group.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { SnippetScript } from '../scripts/snippet.ts';
import type { JsonObject } from '../json.ts';
import type { Asset } from '../results/asset.ts';
import type { Finding } from '../results/result.ts';
import type { ThreadDelay } from '../results/honest-finding.ts';

/** The part of a probe's input that is sent to a probe thread. */
export interface ThreadInput {
  readonly check: Pick<Check, 'id' | 'accountId' | 'checkType' | 'shouldFail' | 'settings'>;
  /** Changes whenever any field changes; with the check's ID it identifies this input. */
  readonly revision: number;
  /** Settings that the check inherits from its group (url, headers, assertions, basic auth). */
  readonly group: Pick<CheckGroup, 'apiCheckDefaults'> | null;
  /** Check over group over account, including secrets, which findings redact. */
  readonly variables: readonly EnvironmentVariable[];
  /**
   * Client identities of the account, with keys. Sent to a thread once for all checks of the account, and then empty.
   */
  readonly clientCertificates?: readonly ClientIdentity[];
  /** The request as changed by setup scripts; absent = as in the settings. */
  readonly scripted?: ScriptedRequest;
}

/** Complete, resolved input of a probe: nothing is looked up while it runs. */
export interface ProbeInput extends ThreadInput {
  readonly check: Check;
  readonly group: CheckGroup | null;
  /** The runtime its account names; null = none, which means the CURRENT one (decisions: Runtimes). */
  readonly accountRuntimeId: string | null;
  /** Snippets of its account; absent = none. */
  readonly snippets?: readonly SnippetScript[];
}

/** Extracts the part of an input that goes to a thread. */
export function threadInputOf({ check, revision, group, variables, scripted }: ThreadInput): ThreadInput {
  const { id, accountId, checkType, shouldFail, settings } = check;
  return {
    check: { id, accountId, checkType, shouldFail, settings },
    revision,
    group: group && { apiCheckDefaults: group.apiCheckDefaults },
    variables,
    ...(scripted === undefined ? {} : { scripted }),
  };
}

/** What a probe reports before its end, redacted. */
export interface ProbeProgress {
  /** As in responses; its shape is the contract's. */
  readonly reported: JsonObject;
  readonly screenshots: readonly Asset[];
}

/** Receives progress, one piece after the other. */
export type OnProgress = (progress: ProbeProgress) => Promise<void>;

/**
 * Probes the target once. Never throws because of the target: that is a finding.
 *
 * @param onProgress called by kinds whose checks are scripts
 */
export type Probe = (input: ProbeInput, signal: AbortSignal, onProgress?: OnProgress) => Promise<Finding>;

/** A probe that a thread can run. */
export type ThreadProbe = (input: ThreadInput, signal: AbortSignal) => Promise<Finding>;

/** One phase of a probe with scripts: sending, or evaluating a response that scripts may have changed. */
export type ExchangeWork =
  | {
      readonly half: 'send';
      readonly input: ThreadInput;
      /** Teardown scripts follow: returns the response, and leaves assertions for later. */
      readonly wantsAnswer: boolean;
    }
  | {
      readonly half: 'judge';
      readonly input: ThreadInput;
      /** Result of sending. */
      readonly finding: Finding;
      /** The response as changed by scripts. */
      readonly answer: SeenAnswer;
      /** Whether the body differs from the received one. */
      readonly isOtherBody: boolean;
    };

/** Result of a phase. It has a response only after sending, if requested and readable. */
export interface Exchanged {
  readonly finding: Finding;
  readonly answer: SeenAnswer | null;
}

/** Runs one phase. Never throws because of the target: that is a finding. */
export type Exchange = (work: ExchangeWork, signal: AbortSignal) => Promise<Exchanged>;

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
