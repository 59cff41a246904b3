// What passes between the path and a kind of check.
import type { Check } from './check.ts';
import type { ClientIdentity } from '../accounts/client-certificate.ts';
import type { CheckGroup } from './check-group.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { ScriptedRequest, SeenAnswer } from './exchange.ts';
import type { Finding } from '../results/result.ts';

/** What of a probe's input looking at a target takes, and a probe thread is sent. */
export interface ThreadInput {
  readonly check: Pick<Check, 'id' | 'accountId' | 'checkType' | 'shouldFail' | 'settings'>;
  /** Changes whenever anything here does: with the check's id it names this input. */
  readonly revision: number;
  /** What the check inherits of its group (url, headers, assertions, basic auth). */
  readonly group: Pick<CheckGroup, 'apiCheckDefaults'> | null;
  /** Check over group over account, secrets included: findings carry them redacted. */
  readonly variables: readonly EnvironmentVariable[];
  /** Of the account, keys included. A thread is sent them once for all checks of the account, and finds none here. */
  readonly clientCertificates?: readonly ClientIdentity[];
  /** The request as scripts before it have left it; absent = as the settings say. */
  readonly scripted?: ScriptedRequest;
}

/** All that a probe needs, already resolved: nothing is looked up while it runs. */
export interface ProbeInput extends ThreadInput {
  readonly check: Check;
  readonly group: CheckGroup | null;
  /** The runtime its account names; null = none, which leaves the CURRENT one (decisions: Runtimes). */
  readonly accountRuntimeId: string | null;
}

/** The part of an input that goes to a thread. */
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

/** Looks at the target once. Never throws for what the target does: that is a finding. */
export type Probe = (input: ProbeInput, signal: AbortSignal) => Promise<Finding>;

/** A probe that a thread can do. */
export type ThreadProbe = (input: ThreadInput, signal: AbortSignal) => Promise<Finding>;

/** Half a probe: to send, or to judge what was sent before and changed since. */
export type ExchangeWork =
  | {
      readonly half: 'send';
      readonly input: ThreadInput;
      /** Scripts come after it: the answer is handed out, and assertions wait for them. */
      readonly wantsAnswer: boolean;
    }
  | {
      readonly half: 'judge';
      readonly input: ThreadInput;
      /** What sending came to. */
      readonly finding: Finding;
      /** As the scripts have left it. */
      readonly answer: SeenAnswer;
      /** Whether its body is another one than came. */
      readonly isOtherBody: boolean;
    };

/** What half a probe came to; the answer only of what was sent, asked for, and could be read. */
export interface Exchanged {
  readonly finding: Finding;
  readonly answer: SeenAnswer | null;
}

/** Does half a probe. Never throws for what the target does. */
export type Exchange = (work: ExchangeWork, signal: AbortSignal) => Promise<Exchanged>;
