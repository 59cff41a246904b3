// Findings of probes, and recorded results.
import type { Asset } from './asset.ts';
import type { JsonValue } from '../json.ts';
import type { RunSource } from '../checks/run.ts';

/** Verdict of a probe; `unknown` if Tocsin itself had a problem (design: honest gaps). */
export const verdicts = ['passed', 'degraded', 'failed', 'unknown'] as const;
export type Verdict = (typeof verdicts)[number];

/** Outcome of a slot: a verdict, or `missed` if it could not run in its interval. */
export const outcomes = ['passed', 'degraded', 'failed', 'unknown', 'missed'] as const;
export type Outcome = (typeof outcomes)[number];

/** Error classes: a closed list, so that results can be counted and filtered. */
export type Reason =
  // target
  | 'status'
  | 'assertion'
  | 'slow'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'reset'
  | 'timeout'
  | 'protocol'
  | 'redirect'
  | 'body'
  | 'egress-refused'
  | 'settings'
  // script: it threw, or exceeded a limit
  | 'script'
  | 'deadline'
  | 'memory'
  | 'processes'
  | 'output'
  | 'disk'
  | 'no-ping'
  | 'job-failed'
  // Tocsin itself
  | 'observer-slow'
  | 'observer-network'
  | 'resolver'
  | 'runtime'
  | 'crashed'
  // missed slots
  | 'overload'
  | 'overlap'
  | 'downtime'
  | 'clock'
  | 'store'
  | 'limit'
  | 'rollback'
  | 'maintenance'
  | 'deactivated'
  | 'changed';

/** The certificate of a host that expires first, its own or one of its chain, for ALERT_SSL. */
export interface SeenCertificate {
  readonly domain: string;
  /** `intermediate certificate "R3"`; absent = the host's own certificate. */
  readonly role?: string;
  /** Name of who issued it; absent = of a sample. */
  readonly issuer?: string;
  /** SHA-256 fingerprint, which distinguishes a renewed certificate from the old one. */
  readonly fingerprint: string;
  /** End of validity, epoch ms. */
  readonly validTo: number;
}

/** Finding of one attempt. Produced by a check kind, recorded as a result. */
export interface Finding {
  readonly verdict: Verdict;
  readonly reason: Reason | null;
  /** One sentence: expected and actual value. null if passed. */
  readonly message: string | null;
  /** Epoch ms, from the machine's clock. */
  readonly startedAt: number;
  readonly stoppedAt: number;
  /** ms with decimals; null without a response. */
  readonly responseTimeMs: number | null;
  /** Longest delay of the probe thread meanwhile, ms (design: honest figures). */
  readonly loopDelayMs: number;
  /**
   * Delay that the verdict tolerates, ms; absent = it does not depend on time. Used by `honestFinding`, not recorded.
   */
  readonly timeMarginMs?: number;
  /**
   * Name that no name server answered about, which may be the fault of ours; absent = none. Used by
   * `findingWithResolver`, not recorded.
   */
  readonly unresolved?: string;
  /** When its events occurred (`performance.now()` of its thread); absent = measured by another program. */
  readonly steps?: readonly number[];
  /** Stored for every result: compact, with a shape specific to the check type. */
  readonly details: JsonValue;
  /**
   * Complete request and response, a JSON object with a shape specific to the check type. Serialized where it was
   * created, because most are only passed on to their table, or dropped (decisions: What is kept of a result;
   * docs/decisions/0030).
   */
  readonly exchange: string | null;
  readonly certificate: SeenCertificate | null;
  /** Certificates of other hosts on the way, which expire later; absent = none. */
  readonly otherCertificates?: readonly SeenCertificate[];
  /** Files that the run left, to be stored with the result; absent = none. */
  readonly assets?: readonly Asset[];
}

/** A finding without an observation of the target, at a time (epoch ms), overridden by other known fields. */
export function bareFinding(
  at: number,
  { verdict, reason, message }: Pick<Finding, 'verdict' | 'reason' | 'message'>,
): Finding {
  return {
    verdict,
    reason,
    message,
    startedAt: at,
    stoppedAt: at,
    responseTimeMs: null,
    loopDelayMs: 0,
    details: null,
    exchange: null,
    certificate: null,
  };
}

/** A recorded attempt of a run, or consecutive missed slots. */
export interface Result extends Omit<
  Finding,
  'verdict' | 'timeMarginMs' | 'unresolved' | 'steps' | 'exchange' | 'certificate' | 'otherCertificates' | 'assets'
> {
  readonly accountId: string;
  readonly checkId: string;
  /** Derived from the run and the attempt; sorts by time. */
  readonly id: string;
  readonly runId: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** The last attempt of its run, whose outcome counts; others were retried (reference: resultType FINAL, ATTEMPT). */
  readonly isFinal: boolean;
  readonly outcome: Outcome;
  readonly location: string;
  readonly source: RunSource;
  readonly slotAt: number | null;
  /** Slots this result covers: 1, or more for consecutive missed ones that start at `slotAt`. */
  readonly slots: number;
}
