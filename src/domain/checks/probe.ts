// Interface between the pipeline and the kinds of checks.
import type { Check } from './check.ts';
import type { ClientIdentity } from '../accounts/client-certificate.ts';
import type { CheckGroup } from './check-group.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { SnippetScript } from '../scripts/snippet.ts';
import type { ScriptedRequest, SeenAnswer } from './exchange.ts';
import type { JsonObject } from '../json.ts';
import type { Asset } from '../results/asset.ts';
import type { Finding } from '../results/result.ts';

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
